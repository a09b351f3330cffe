import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { DebianPrograms } from '../../support/programs/debian-programs.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';

/** The login that the real proxies of tests ask for. */
export const PROXY_LOGIN = { username: 'controller', password: 'proxy-passw0rd' };

/** No proxy outlives this process, however the process ends. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A real proxy on 127.0.0.1 that permits only CONNECT, with a login, to the given ports. */
export interface RealProxy {
  readonly url: string;
  /** The same proxy over TLS, with the test certificate; absent if the program does not support it. */
  readonly secureURL?: string;
  /** Returns the log of its requests. */
  log(): string;
}

/** Starts squid until the test ends. */
export async function startSquid(programs: DebianPrograms, to: readonly number[]): Promise<RealProxy> {
  const folder = openFolder();
  const [port, securePort] = [await freePort(), await freePort()];
  const log = join(folder, 'access.log');
  writeFileSync(join(folder, 'tls.pem'), TEST_CERTIFICATE + TEST_KEY, { mode: 0o644 });
  const { username, password } = PROXY_LOGIN;
  const judge = `while read -r login; do [ "$login" = '${username} ${password}' ] && echo OK || echo ERR; done\n`;
  writeFileSync(join(folder, 'judge.sh'), judge, { mode: 0o644 });
  const pages = programs.at('/usr/share/squid-langpack/templates');
  const config = `
http_port 127.0.0.1:${port}
https_port 127.0.0.1:${securePort} tls-cert=${join(folder, 'tls.pem')}
pid_filename none
cache_effective_user nobody
cache_log ${join(folder, 'cache.log')}
access_log stdio:${log}
coredump_dir none
cache deny all
pinger_enable off
unlinkd_program /bin/true
shutdown_lifetime 0 seconds
mime_table ${programs.at('/usr/share/squid/mime.conf')}
icon_directory ${programs.at('/usr/share/squid/icons')}
${existsSync(pages) ? `error_directory ${pages}` : ''}
auth_param basic program /bin/sh ${join(folder, 'judge.sh')}
acl tunnels method CONNECT
acl users proxy_auth REQUIRED
acl permitted port ${to.join(' ')}
http_access deny !tunnels
http_access deny !permitted
http_access deny !users
http_access allow all
`;
  const file = writeConfig(folder, 'squid.conf', config);
  await started(programs, [programs.at('/usr/sbin/squid'), '-N', '-f', file], [port, securePort]);
  const at = { url: `http://127.0.0.1:${port}`, secureURL: `https://localhost:${securePort}` };
  return { ...at, log: () => readFileSync(log, 'utf8') };
}

/** Starts tinyproxy until the test ends. */
export async function startTinyproxy(programs: DebianPrograms, to: readonly number[]): Promise<RealProxy> {
  const folder = openFolder();
  const port = await freePort();
  const log = join(folder, 'tinyproxy.log');
  const config = `
Port ${port}
Listen 127.0.0.1
Timeout 60
MaxClients 20
LogFile "${log}"
LogLevel Connect
BasicAuth ${PROXY_LOGIN.username} ${PROXY_LOGIN.password}
${to.map((each) => `ConnectPort ${each}`).join('\n')}
`;
  const file = writeConfig(folder, 'tinyproxy.conf', config);
  await started(programs, [programs.at('/usr/bin/tinyproxy'), '-d', '-c', file], [port]);
  return { url: `http://127.0.0.1:${port}`, log: () => readFileSync(log, 'utf8') };
}

/** Creates a folder that a server without root rights can read and write. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dms-operator-proxy-'));
  chmodSync(folder, 0o777);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writeConfig(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode: 0o644 });
  return file;
}

/** Resolves when the program listens on all of these ports. Throws with its output if it ends before. */
async function started(
  { env }: DebianPrograms,
  [program = '', ...args]: readonly string[],
  ports: readonly number[],
): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let wrote = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (wrote += text.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    running.delete(child);
  });
  for (const port of ports) {
    await expect
      .poll(() => child.exitCode !== null || listens(port), { timeout: 15_000, message: program })
      .toBe(true);
  }
  if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}:\n${wrote}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
