import { readFile } from 'node:fs/promises';
import type { ControlPlane } from '../../test/support/control-plane/control-plane.ts';
import { imageVariables, imageWords } from '../../test/support/bundle/image-words.ts';
import type { Program, Running } from './program.ts';
import { until } from './until.ts';

/** The kernel counts time of the processor in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** Three writes for each resource: on a machine that others use too, an API server takes fifty writes a second. */
const SETTLED_LIMIT_MS_EACH = 60;
const LEAST_SETTLED_LIMIT_MS = 600_000;

/** The controller as a separate process: the bundle, started as in the image. */
export interface OperatorProcess extends Running {
  /** The sum of all series of a metric whose labels hold every one of `labels`. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Resolves when so many Deployment resources say that they are Ready. */
  allReady(count: number): Promise<void>;
  /** Memory that the process holds, as the kernel counts it. */
  residentMiB(): Promise<number>;
  /** Seconds of the processor that it has taken so far, all threads together. */
  processorSeconds(): Promise<number>;
}

/** Starts the controller on a cluster; in these namespaces alone where some are named. */
export function startOperator(
  program: Program,
  plane: ControlPlane,
  how: {
    readonly operatorNamespace: string;
    readonly namespaces?: readonly string[];
    readonly nodeWords?: readonly string[];
    readonly shard?: string;
  },
): OperatorProcess {
  const running = program.start(
    [
      ...['run', '--kubeconfig', plane.kubeconfigFile, '--operator-namespace', how.operatorNamespace],
      ...(how.namespaces ?? []).flatMap((namespace) => ['--namespace', namespace]),
      ...(how.shard === undefined ? [] : ['--shard-selector', `shard=${how.shard}`]),
      ...['--metrics-address', '127.0.0.1:0', '--log-format', 'json'],
    ],
    { nodeWords: [...imageWords(), ...(how.nodeWords ?? [])], variables: imageVariables() },
  );
  const metric: OperatorProcess['metric'] = async (name, labels = {}) => {
    const { port } = JSON.parse(await running.line('metrics and health are served')) as { port: number };
    return sumOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(), name, labels);
  };
  const ready = { kind: 'Deployment', ready: 'True' };
  return {
    ...running,
    metric,
    allReady: (count) =>
      until(
        `${count} resources are Ready`,
        async () => (await metric('dms_resources', ready)) === count,
        Math.max(LEAST_SETTLED_LIMIT_MS, count * SETTLED_LIMIT_MS_EACH),
        250,
      ),
    async residentMiB() {
      const status = await readFile(`/proc/${running.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
    },
    async processorSeconds() {
      const text = await readFile(`/proc/${running.pid}/stat`, 'utf8');
      // The name of the program is in brackets and may contain spaces.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
  };
}

function sumOf(text: string, name: string, labels: Readonly<Record<string, string>>): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, found, shown = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found === name && wanted.every((label) => shown.includes(label))) sum += Number(value);
  }
  return sum;
}
