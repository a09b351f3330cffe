import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A user of the API server behind the proxy, by the client certificate or the token of a kubeconfig file. */
export interface UpstreamUser {
  readonly name: string;
  readonly server: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
}

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: readonly [
    {
      readonly name: string;
      readonly user: Readonly<Record<'token' | 'client-certificate-data' | 'client-key-data', string>>;
    },
  ];
}

/** Reads the user of a kubeconfig file that contains all data inline. */
export async function readUpstreamUser(kubeconfigFile: string): Promise<UpstreamUser> {
  const { clusters, users } = parse(await readFile(kubeconfigFile, 'utf8')) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ name, user }] = users;
  const { token, 'client-certificate-data': cert, 'client-key-data': key } = user;
  const decoded = (text: string): Buffer => Buffer.from(text, 'base64');
  return {
    name,
    server: cluster.server,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    agent: new Agent({
      keepAlive: true,
      ca: decoded(cluster['certificate-authority-data']),
      ...(cert === undefined ? {} : { cert: decoded(cert), key: decoded(key) }),
    }),
  };
}

/** The users of a proxy, each with a token and a kubeconfig file that leads to the proxy. */
export class ProxyUsers {
  readonly #directory: string;
  readonly #byToken = new Map<string, UpstreamUser>();
  readonly #files = new Map<UpstreamUser, string>();
  #server = '';
  #ca = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes every file again, for a proxy at this address with a certificate of this authority. */
  async leadTo(server: string, ca: string): Promise<void> {
    this.#server = server;
    this.#ca = ca;
    for (const [token, user] of this.#byToken) await this.#write(user, token);
  }

  /** Adds a user and returns the path of its file. */
  async add(user: UpstreamUser): Promise<string> {
    this.#files.set(user, join(this.#directory, `kubeconfig-${this.#files.size}.yaml`));
    return this.#giveToken(user);
  }

  /** Gives every user a new token. The old tokens are refused from now on. */
  async rotateTokens(): Promise<void> {
    this.#byToken.clear();
    for (const user of this.#files.keys()) await this.#giveToken(user);
  }

  /** Returns the user of a request by its Authorization header. */
  byHeader(authorization: string | undefined): UpstreamUser | undefined {
    return this.#byToken.get(authorization?.replace(/^Bearer /, '') ?? '');
  }

  close(): void {
    for (const { agent } of this.#files.keys()) agent.destroy();
  }

  #giveToken(user: UpstreamUser): Promise<string> {
    const token = randomBytes(16).toString('hex');
    this.#byToken.set(token, user);
    return this.#write(user, token);
  }

  async #write(user: UpstreamUser, token: string): Promise<string> {
    const file = this.#files.get(user) ?? '';
    const cluster = {
      server: this.#server,
      'certificate-authority-data': Buffer.from(this.#ca).toString('base64'),
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'proxy', cluster }],
      users: [{ name: user.name, user: { token } }],
      contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: user.name } }],
      'current-context': 'proxy',
    };
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }
}
