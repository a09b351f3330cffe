import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../service/support/test-certificate.ts';
import { startOperator } from '../../support/worlds/operator-process.ts';
import { connectionTo } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The values that variables of a test can name. */
interface Places {
  /** A file with the authority that signed the certificate of the service. */
  readonly authorities: string;
  /** The address of an HTTP proxy. */
  readonly proxy: string;
}

/** Listens until the test ends. Returns the port. */
async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Returns which servers received requests from a command that reads the service with these variables. */
async function askedWith(
  variablesAt: (places: Places) => Readonly<Record<string, string>>,
): Promise<ReadonlySet<string>> {
  const asked = new Set<string>();
  const service = createTLSServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) => {
    asked.add('service');
    response.writeHead(401).end();
  });
  const proxy = createServer((_request, response) => {
    asked.add('proxy');
    response.writeHead(502).end();
  }).on('connect', (_request, socket) => {
    asked.add('proxy');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const baseURL = `https://localhost:${await listening(service)}`;
  const folder = temporaryFolder({
    'authorities.pem': TEST_CERTIFICATE,
    'declared/agent.yaml': together(deploymentYaml('agent'), connectionTo(baseURL)),
  });
  const env = variablesAt({
    authorities: folder.at('authorities.pem'),
    proxy: `http://127.0.0.1:${await listening(proxy)}`,
  });
  const words = ['get', 'deployments', '-f', folder.at('declared')];
  await startOperator(words, undefined, [], { env }).ended;
  return asked;
}

describe('a variable of the process', () => {
  it('with more authorities applies to every connection that names none', async () => {
    const asked = await Promise.all([
      askedWith(() => ({})),
      askedWith(({ authorities }) => ({ NODE_EXTRA_CA_CERTS: authorities })),
    ]);
    expect(asked).toEqual([new Set(), new Set(['service'])]);
  });

  it('that names a proxy has no effect', async () => {
    const asked = await askedWith(({ authorities, proxy }) => ({
      NODE_EXTRA_CA_CERTS: authorities,
      NODE_USE_ENV_PROXY: '1',
      ...Object.fromEntries(
        ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY']
          .flatMap((name) => [name, name.toLowerCase()])
          .map((name) => [name, proxy]),
      ),
    }));
    expect(asked).toEqual(new Set(['service']));
  });
});
