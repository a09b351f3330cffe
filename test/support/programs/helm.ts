import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { CommandResult } from '../control-plane/control-plane.ts';
import { goBinary, useGoBinary } from './go-program.ts';

/** The real Helm, which uses no cluster except that of a given kubeconfig file. */
export interface Helm {
  readonly path: () => string;
  /** Runs Helm. Never throws for an exit code. */
  run(args: readonly string[], kubeconfigFile?: string): Promise<CommandResult>;
  /** Returns the output. Throws for an exit code other than 0. */
  output(args: readonly string[], kubeconfigFile?: string): Promise<string>;
}

const LIMIT_MS = 120_000;

/** Returns Helm for programs that are not tests. Its settings are stored in a folder of the caller. */
export async function helmFor(home: string): Promise<Helm> {
  const path = await goBinary('helm');
  return helmOf({ path: () => path, home: () => home });
}

/** Gives the test file Helm, built once per machine as `useGoBinary` says. */
export function useHelm(): Helm {
  const path = useGoBinary('helm');
  let home = '';
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'dms-operator-helm-'));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return helmOf({ path, home: () => home });
}

function helmOf({ path, home }: { readonly path: () => string; readonly home: () => string }): Helm {
  const helm: Helm = {
    path,
    run(args, kubeconfigFile = '/dev/null') {
      const env = { PATH: process.env['PATH'], HOME: home(), KUBECONFIG: kubeconfigFile };
      const options = { env, timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 };
      return new Promise((resolve, reject) => {
        execFile(path(), args, options, (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number') reject(error);
          else resolve({ code: Number(error?.code ?? 0), stdout, stderr });
        });
      });
    },
    async output(args, kubeconfigFile) {
      const { code, stdout, stderr } = await helm.run(args, kubeconfigFile);
      if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
      return stdout;
    },
  };
  return helm;
}
