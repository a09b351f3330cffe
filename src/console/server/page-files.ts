import { PAGE } from '../generated/page.ts';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

/** The files of the page by path; they show no data, and need no session. */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map([
  ['/', { type: 'text/html; charset=utf-8', text: PAGE.html }],
  ['/app.js', { type: 'text/javascript; charset=utf-8', text: PAGE.js }],
  ['/app.css', { type: 'text/css; charset=utf-8', text: PAGE.css }],
]);
