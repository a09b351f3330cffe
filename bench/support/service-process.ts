import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggedRequest } from '../../src/simulator/api/request-log.ts';
import type { Program } from './program.ts';

/** The simulated service as a separate process, with its control endpoint. */
export interface ServiceProcess {
  /** The address of the service. */
  readonly url: string;
  /** Calls after the one with this number, oldest first; the last 10,000 are kept. */
  requests(since?: number): Promise<readonly LoggedRequest[]>;
  /** Posts to the control endpoint. */
  control(what: string, body: object): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service of the bundle with a seed document. */
export async function startService(program: Program, seed: object): Promise<ServiceProcess> {
  const file = join(await mkdtemp(join(program.folder, 'service-')), 'seed.json');
  await writeFile(file, JSON.stringify(seed));
  const running = program.start(['simulate', '--port', '0', '--seed', file]);
  const url = /http:\S+/.exec(await running.line('simulated service at'))?.[0] ?? '';
  const read = async <T>(path: string): Promise<T> =>
    (await (await fetch(new URL(`/_simulator/${path}`, url))).json()) as T;
  return {
    url,
    requests: (since = 0) => read(`requests?since=${since}`),
    async control(what, body) {
      const method = 'POST';
      const answer = await fetch(new URL(`/_simulator/${what}`, url), { method, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`);
    },
    async stop() {
      await running.stop();
    },
  };
}
