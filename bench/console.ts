import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PAGE } from '../src/console/generated/page.ts';
import { TEST_CERTIFICATE } from '../test/service/support/test-certificate.ts';
import { type Signed, signIn } from '../test/support/console/served-console.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { Program, Running } from './support/program.ts';

const COUNT = 10_000;
const SERVER = join(import.meta.dirname, 'support', 'watch-server.ts');

/** The console over a cluster of 10,000 resources, without a browser. */
export const consoleServer: Benchmark = {
  name: 'console',
  about:
    'memory of the console with 10,000 resources, its first answer, its filter, and the size of its page',
  async run(context) {
    const count = context.smoke ? 100 : COUNT;
    const runs = context.runs ?? (context.smoke ? 1 : 3);
    const samples: Figures[] = [];
    for (let run = 0; run < runs; run += 1) samples.push(await figuresOf(context, count));
    const about = `${COUNT.toLocaleString('en')} resources`;
    const all = (name: keyof Figures): readonly number[] => samples.map((one) => one[name]);
    return [
      {
        name: `console, resident memory, ${about}`,
        unit: 'MiB',
        samples: all('residentMiB'),
        target: atMost(170),
      },
      { name: `console, from its start until it is ready, ${about}`, unit: 'ms', samples: all('readyMs') },
      {
        name: `console, first answer once it is ready, ${about}`,
        unit: 'ms',
        samples: all('firstMs'),
        target: atMost(1000),
      },
      {
        name: `console, answer to a filter, ${about}`,
        unit: 'ms',
        samples: all('filterMs'),
        target: atMost(100),
      },
      pageSize(),
    ];
  },
};

interface Figures {
  readonly readyMs: number;
  readonly firstMs: number;
  readonly filterMs: number;
  readonly residentMiB: number;
}

const FILTERS = 20;

async function figuresOf(context: BenchContext, count: number): Promise<Figures> {
  const program = await context.program();
  const child = fork(SERVER, [String(count), '0'], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const running = await started(program, port);
  try {
    const line = await running.line('console at http');
    const readyMs = Date.now() - running.startMs;
    const began = performance.now();
    const signed = await signIn(/http:\S+/.exec(line)?.[0] ?? '');
    await signed.get('/api/fleet');
    const firstMs = performance.now() - began;
    const filterMs = await filtered(signed, count);
    for (const path of ['overview', 'connections', 'waiting', 'drift']) await signed.get(`/api/${path}`);
    const residentMiB = await residentOf(running);
    context.progress(`${residentMiB.toFixed(0)} MiB, first answer after ${firstMs.toFixed(0)} ms`);
    return { readyMs, firstMs, filterMs, residentMiB };
  } finally {
    await running.stop();
    child.disconnect();
    await once(child, 'exit');
  }
}

async function started(program: Program, port: number): Promise<Running> {
  const authority = join(program.folder, 'console-authority.pem');
  await writeFile(authority, TEST_CERTIFICATE);
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority': authority };
  const config = join(program.folder, 'console-kubeconfig.json');
  const named = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'bench' },
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  };
  await writeFile(config, JSON.stringify(named));
  return program.start(['console', '--no-open', '--kubeconfig', config]);
}

async function filtered({ get }: Signed, count: number): Promise<number> {
  const began = performance.now();
  for (let run = 0; run < FILTERS; run += 1) {
    const { json } = await get(`/api/fleet?filter=agent-${String(count - 1 - run).padStart(5, '0')}`);
    const { matched } = json as { readonly matched: number };
    if (matched !== 1) throw new Error(`a filter for one resource found ${matched}`);
  }
  return (performance.now() - began) / FILTERS;
}

async function residentOf({ pid }: Running): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}

function pageSize(): Measurement {
  const bytes = [PAGE.html, PAGE.js, PAGE.css].reduce((sum, text) => sum + gzipSync(text).length, 0);
  return { name: 'page of the console, gzip', unit: 'bytes', samples: [bytes], target: atMost(60 * 1024) };
}
