import { MetricsRegistry } from '../../src/telemetry/metrics-registry.ts';
import { banner, blocks, code, prose, table } from './markdown.ts';

/** A metric as Prometheus sees it. */
export interface ExposedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Sections of the page, by how the names of their metrics begin. */
const SECTIONS = [
  {
    title: 'Deployments and connections',
    names: /^dms_(?:resources|reconcile|patches|revisions|drift|edit_)/,
    about: '',
  },
  { title: 'The service', names: /^dms_(?:service_|list_|snapshot_|poll_)/, about: '' },
  { title: 'The API server', names: /^(?:rest_client_|dms_reflector_|leader_election_)/, about: '' },
  {
    title: 'The queues',
    names: /^workqueue_/,
    about: `\`name\` is \`deployments\` or \`connections\`. The names are those of client-go, so that dashboards for controllers
work; \`workqueue_delayed\` and \`workqueue_running\` are ours.`,
  },
];

/**
 * Makes the page of the metrics from the output of the program. Throws for a metric without a section, and for one
 * whose labels nothing shows.
 */
export function metricsPage(exposition: string): string {
  const metrics = metricsIn(exposition);
  const lost = metrics.find(({ name }) => !SECTIONS.some(({ names }) => names.test(name)));
  if (lost !== undefined) throw new Error(`${lost.name} belongs to no section of the page of metrics`);
  return blocks(
    banner('src/telemetry'),
    '# Metrics',
    `What \`/metrics\` tells Prometheus. How to read it and what to alert on: [docs/metrics.md](../metrics.md).`,
    ...SECTIONS.flatMap(({ title, names, about }) => [
      `## ${title}`,
      about,
      table(
        ['Name', 'Type', 'Labels', 'What it says'],
        metrics.filter(({ name }) => names.test(name)).map(row),
      ),
    ]),
  );
}

function row({ name, type, labels, help }: ExposedMetric): readonly string[] {
  return [code(name), type, labels.map(code).join(', '), prose(help.replace(/\.$/, ''))];
}

/** Returns the metrics of a process that has counted everything once, so that each metric shows its labels. */
export async function fullExposition(): Promise<string> {
  const registry = new MetricsRegistry({ now: () => 0 });
  registry.connectionSeen('c', () => ({
    ...{ waiting: 0, gateClosed: false },
    ...{ snapshotAgeSeconds: 1, pollIntervalSeconds: 60, unreadableItems: 0 },
  }));
  registry.resourceShown({ kind: 'Deployment', namespace: 'n', name: 'a' }, 'True', 'Active');
  registry.queue('deployments', () => ({
    ...{ waiting: 0, delayed: 0, running: 0 },
    ...{ unfinishedSeconds: 0, longestRunningSeconds: 0 },
  }));
  registry.cluster.requested({ method: 'GET', code: '200', host: 'host' }, 1);
  registry.cluster.heard('Deployment', '', 0);
  registry.election.standsFor('dms-operator');
  return registry.expose();
}

/** The metrics of ours in a text for Prometheus; those of the process come from prom-client. */
function metricsIn(exposition: string): readonly ExposedMetric[] {
  const described = exposition.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm);
  return [...described]
    .filter(([, name = '']) => !/^(?:process|nodejs)_/.test(name))
    .map(([, name = '', help = '', type = '']) => ({ name, help, type, labels: labelsOf(name, exposition) }));
}

function labelsOf(name: string, exposition: string): readonly string[] {
  const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(exposition);
  if (sample === null) throw new Error(`${name} has no sample that shows its labels`);
  return [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map((match) => match[1] ?? '');
}
