import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorOf, type OperatorProcess } from '../../support/worlds/operator-process.ts';

/**
 * What a container runtime does with the file system and the rights of a process, by the kernel alone: the root is
 * mounted read-only in a mount namespace of its own, no program can gain rights, and root is left for the user and all of
 * its capabilities with it. Its words: root folder, user:group, program.
 */
const CONFINE = `set -eu
root=$1 user=$2
shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`;

/** Where `CONFINE` finds its programs; a container runtime gives the same path where an image names none. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Why processes cannot be confined here; undefined where they can. */
export function reasonAgainstConfining(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can change the root of a process';
  const tried = spawnSync('unshare', ['--mount', 'setpriv', '--no-new-privs', 'true'], { encoding: 'utf8' });
  if (tried.status === 0) return undefined;
  return `a process cannot have mounts of its own here: ${tried.error?.message ?? tried.stderr.trim()}`;
}

/** Starts a program of a root folder, as a user without any right there. */
export async function startConfined(container: {
  readonly root: string;
  readonly user: number;
  readonly group: number;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}): Promise<OperatorProcess> {
  const { root, user, group, command, env } = container;
  await mkdir(join(root, 'proc'), { recursive: true });
  const words = ['--mount', 'sh', '-c', CONFINE, 'sh', root, `${user}:${group}`, ...command];
  return operatorOf(spawn('unshare', words, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** What the kernel says a process may do. */
export interface Rights {
  readonly users: readonly number[];
  readonly groups: readonly number[];
  /** In the sets that count: inheritable, permitted, effective and ambient. */
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  /** Mount points that can be written to, /proc aside. */
  readonly writable: readonly string[];
}

/** Reads the rights of a running process. */
export function rightsOf(pid: number): Rights {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const line = (name: string): readonly string[] =>
    (new RegExp(`^${name}:(.*)$`, 'm').exec(status)?.[1] ?? '').trim().split(/\s+/).filter(Boolean);
  const numbers = (name: string): readonly number[] => [...new Set(line(name).map(Number))];
  const capabilities = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map((name) =>
    BigInt(`0x${line(name)[0] ?? ''}`),
  );
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').trim().split('\n');
  return {
    users: numbers('Uid'),
    groups: [...new Set([...numbers('Gid'), ...numbers('Groups')])],
    capabilities: capabilities.reduce((all, some) => all | some, 0n),
    noNewPrivileges: line('NoNewPrivs')[0] === '1',
    writable: mounts
      .map((mount) => mount.split(' '))
      .filter(([, , , , path, options]) => path !== '/proc' && options?.split(',')[0] !== 'ro')
      .map(([, , , , path]) => path ?? ''),
  };
}
