import { readFile, writeFile } from 'node:fs/promises';
import { parseDocument, stringify } from 'yaml';

/** Pages that Artifact Hub leads to from a chart, by their names there. */
const PAGES = {
  Documentation: 'README.md',
  Installing: 'docs/guides/installing.md',
  'Every field': 'docs/reference/README.md',
  Security: 'SECURITY.md',
};

/** Has a Chart.yaml say where the project is, and lead to pages of the version. */
export async function linkChart(file: string, repository: string, version: string): Promise<void> {
  const chart = parseDocument(await readFile(file, 'utf8'));
  const links = Object.entries(PAGES).map(([name, path]) => ({
    name,
    url: `${repository}/blob/v${version}/${path}`,
  }));
  chart.set('home', repository);
  chart.set('sources', [repository]);
  chart.setIn(['annotations', 'artifacthub.io/links'], stringify(links, { lineWidth: 0 }));
  await writeFile(file, chart.toString({ lineWidth: 0 }));
}
