/**
 * Writes the pages of docs/reference: the kinds from crds/*.yaml, the commands from their help, and the metrics from
 * the output of the program. With --check it writes nothing, and the exit code is 1 if a page is not current.
 */
import { readCrd } from './crd.ts';
import { settleFiles } from './generated-files.ts';
import { cliPage } from './reference/cli-page.ts';
import { kindPage } from './reference/kind-page.ts';
import { fullExposition, metricsPage } from './reference/metrics-page.ts';

const KINDS = [
  ['deployment', 'deployments'],
  ['connection', 'connections'],
  ['cluster-connection', 'clusterconnections'],
] as const;

const pages: (readonly [page: string, text: string])[] = [];
for (const [page, plural] of KINDS) pages.push([page, kindPage(await readCrd(plural))]);
pages.push(['cli', cliPage()], ['metrics', metricsPage(await fullExposition())]);
await settleFiles(pages.map(([page, text]) => [`docs/reference/${page}.md`, text]));
