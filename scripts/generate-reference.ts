/**
 * Writes the pages of docs/reference from what the program itself knows: the kinds from crds/*.yaml, the commands from
 * their words, the metrics from what the program exposes. With --check nothing is written; the exit code is 1 when a
 * page is not what it would be.
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
