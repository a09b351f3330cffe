/** The page as text: what the server answers at `/`, `/app.js` and `/app.css`. */
export const PAGE = {
  html: '<!doctype html><html lang="en"><meta charset="utf-8"><title>dms-operator</title><link rel="stylesheet" href="/app.css"><body><p>The page of the console is not built: run npm run generate.</p><script type="module" src="/app.js"></script></body></html>\n',
  js: '',
  css: '',
} as const;
