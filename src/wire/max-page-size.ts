/** The largest page that the list accepts (section 8). */
export const MAX_PAGE_SIZE = 100;
