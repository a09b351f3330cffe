import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { clusterInformers, type ClusterInformers } from '../src/kubernetes/cluster/cluster-informers.ts';
import { createTransport } from '../src/kubernetes/client/create-transport.ts';
import type { Logger } from '../src/ports/process/logger.ts';
import { systemClock } from '../src/runtime/process/system-clock.ts';
import { TEST_CERTIFICATE } from '../test/service/support/test-certificate.ts';
import type { Benchmark } from './support/benchmark.ts';
import { atLeast, atMost } from './support/measurement.ts';
import { sampleObject } from './support/sample-objects.ts';
import { type Elapsed, stopwatch } from './support/stopwatch.ts';

const OBJECTS = 10_000;
const EVENTS = 100_000;
const SERVER = join(import.meta.dirname, 'support', 'watch-server.ts');

const SILENT: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => SILENT,
};

/** The informer of Deployment resources as the controller has it, with every index, and one subscriber. */
export const reflector: Benchmark = {
  name: 'reflector',
  about: 'watch events per second through TLS, and memory for each cached object',
  async run(context) {
    const [objects, events] = context.smoke ? [100, 1_000] : [OBJECTS, EVENTS];
    const perSecond: number[] = [];
    const perProcessorSecond: number[] = [];
    const kibibytes: number[] = [];
    for (let run = 0; run <= (context.runs ?? (context.smoke ? 1 : 3)); run += 1) {
      const { seconds, processorSeconds, bytesPerObject } = await followed(objects, events);
      // The first one is compiled on the way.
      if (run === 0) continue;
      perSecond.push(events / seconds);
      perProcessorSecond.push(events / processorSeconds);
      kibibytes.push(bytesPerObject / 1024);
    }
    return [
      {
        name: 'watch events of 2 KB through TLS',
        unit: 'per second',
        samples: perSecond,
        target: atLeast(20_000),
      },
      { name: 'the same by processor time', unit: 'per second', samples: perProcessorSecond },
      { name: 'heap for each cached object', unit: 'KiB', samples: kibibytes, target: atMost(2.5) },
      {
        name: 'the object as the API server sends it',
        unit: 'bytes',
        samples: [JSON.stringify(sampleObject(1, 1)).length],
      },
    ];
  },
};

async function followed(
  objects: number,
  events: number,
): Promise<Elapsed & { readonly bytesPerObject: number }> {
  const child = fork(SERVER, [String(objects), String(events)], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ending = new AbortController();
  const { informers, close } = informersAt(`https://127.0.0.1:${port}`);
  const emptyBytes = heapBytes();
  try {
    const told = toldOf(informers, events);
    await informers.deployments.start(ending.signal);
    await told.first;
    const elapsed = stopwatch();
    await told.last;
    return { ...elapsed(), bytesPerObject: (heapBytes() - emptyBytes) / objects };
  } finally {
    ending.abort();
    await informers.deployments.ended();
    await close();
    child.disconnect();
    await once(child, 'exit');
  }
}

function informersAt(server: string): { informers: ClusterInformers; close: () => Promise<void> } {
  const credentials = { headers: {}, tls: { ca: TEST_CERTIFICATE } };
  const config = {
    server,
    podNamespace: undefined,
    proxyURL: undefined,
    credentials: async () => credentials,
  };
  const transport = createTransport(config, { clock: systemClock, userAgent: 'dms-operator/bench' });
  const environment = { transport, clock: systemClock, logger: SILENT };
  const informers = clusterInformers(
    { namespaces: [], operatorNamespace: 'dms-operator', heapBytes: 256 * 1024 * 1024 },
    environment,
  );
  return { informers, close: () => transport.close() };
}

/** Resolves with the first and with the last change that the watch reports. */
function toldOf(informers: ClusterInformers, events: number): { first: Promise<void>; last: Promise<void> } {
  const first = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  let told = 0;
  informers.deployments.subscribe({
    concerns: ({ before }) => before !== undefined,
    onChange() {
      told += 1;
      if (told === 1) first.resolve();
      if (told === events) last.resolve();
    },
  });
  return { first: first.promise, last: last.promise };
}

/** Returns the bytes that are still in use after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
