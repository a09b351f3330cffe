import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { type DebianPrograms } from '../../support/programs/debian-programs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The login that the registry requires, even for reads. */
export const REGISTRY_LOGIN = { username: 'somebody', password: 'the-token-of-the-run' };

/** A line of a password file for that login, as `htpasswd -B` makes it. */
const PASSWORDS = 'somebody:$2b$04$dh7Bxc7VTdveH0P2kg6OLe5iBQzCzVsis2QdEW0OGMlHjtDjUyWeS\n';

/** The program of a registry, by its package. */
export const REGISTRY_PACKAGE = { 'docker-registry': '/usr/bin/docker-registry' };

/** Starts a real registry on loopback with temporary storage, until the end of the test. Returns its host and port. */
export async function startRegistry(programs: DebianPrograms): Promise<string> {
  const folder = temporaryFolder();
  const passwords = folder.write('passwords', PASSWORDS);
  const config = folder.write(
    'config.yml',
    JSON.stringify({
      version: 0.1,
      storage: { inmemory: {} },
      http: { addr: '127.0.0.1:0' },
      auth: { htpasswd: { realm: 'registry', path: passwords } },
    }),
  );
  const program = programs.at(REGISTRY_PACKAGE['docker-registry']);
  const child = spawn(program, ['serve', config], {
    env: programs.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let wrote = '';
  child.stderr.on('data', (text: Buffer) => (wrote += text.toString()));
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const address = (): string | undefined => /listening on (127\.0\.0\.1:\d+)/.exec(wrote)?.[1];
  await expect.poll(() => address() ?? child.exitCode, { timeout: 15_000, message: wrote }).not.toBeNull();
  const listening = address();
  if (listening === undefined) throw new Error(`${program} ended with ${child.exitCode}:\n${wrote}`);
  return listening;
}
