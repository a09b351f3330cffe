import { Agent, request } from 'node:https';
import type { ControlPlane } from '../../test/support/control-plane/control-plane.ts';

/** The administrator of a cluster, over connections that stay open: for thousands of requests. */
export interface ApiClient {
  /** One request; throws for an answer that is not 2xx. */
  send(method: string, path: string, body: object, contentType?: string): Promise<void>;
  /** Does `task` for every item, so many at the same time. */
  each<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void>;
  close(): void;
}

const AT_ONCE = 24;

/** Opens a client; `close` must follow. */
export function apiClient(plane: ControlPlane): ApiClient {
  const { server, ca, adminCert: cert, adminKey: key } = plane;
  const agent = new Agent({ ca, cert, key, keepAlive: true, maxSockets: AT_ONCE });
  return {
    send: (method, path, body, contentType = 'application/json') =>
      sent(new URL(path, server), { agent, method, headers: { 'content-type': contentType } }, body),
    async each(items, task) {
      const waiting = items.values();
      const work = async (): Promise<void> => {
        for (const item of waiting) await task(item);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    close: () => agent.destroy(),
  };
}

function sent(url: URL, options: Parameters<typeof request>[1] & object, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.once('end', () => {
        if ((incoming.statusCode ?? 0) < 300) resolve();
        else reject(new Error(`${options.method} ${url.pathname}: ${incoming.statusCode} ${text}`));
      });
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(body));
  });
}
