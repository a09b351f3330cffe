/** The largest page the list takes (section 8). */
export const MAX_PAGE_SIZE = 100;
