import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { textOf } from './generated-files.ts';

/** The page of the console as the server sends it. */
export interface ConsolePage {
  readonly html: string;
  readonly js: string;
  readonly css: string;
  /** The size of the page on the network. */
  readonly gzipBytes: number;
  /** The report about the files in the page. */
  readonly metafile: Metafile;
}

/** The folder of its source in the project. */
export const PAGE_FOLDER = 'src/console/page';

/** Makes the page from its source: script and style each in one text, as small as they go. Equal sources make equal pages. */
export async function consolePage(root: string): Promise<ConsolePage> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { app: `${PAGE_FOLDER}/main.tsx`, style: `${PAGE_FOLDER}/app.css` },
    outdir: '.',
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    // They know light-dark(), so that it need not be rewritten.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const output = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  const html = (await textOf(`${PAGE_FOLDER}/index.html`)).replaceAll(/>\s+</gu, '><').trim();
  const [js, css] = [output('.js'), output('.css')];
  const gzipBytes = [html, js, css].reduce((sum, text) => sum + gzipSync(text).length, 0);
  return { html, js, css, gzipBytes, metafile };
}
