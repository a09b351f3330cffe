import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An npm registry with one package in one version. */
export interface NpmRegistry {
  readonly url: string;
  /** The path of every request, in order. */
  readonly asked: readonly string[];
}

/** Returns the checksum of a package as registries and lock files contain it. */
export function integrityOf(archive: Buffer): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`;
}

/** Serves a package on loopback until the test ends. `manifest` is its package.json. */
export async function npmRegistry(
  manifest: { readonly name: string; readonly version: string },
  archive: Buffer,
): Promise<NpmRegistry> {
  const { name, version } = manifest;
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url);
    const dist = { tarball: `http://${headers.host}/${name}.tgz`, integrity: integrityOf(archive) };
    const about = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
    if (url === `/${name}.tgz`) response.end(archive);
    else if (url === `/${name}`) response.end(JSON.stringify(about));
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
