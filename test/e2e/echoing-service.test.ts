import { expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults/scenario.ts';
import { connectionManifest } from '../support/resources/connection-manifest.ts';
import { agentManifest, LIVE_AGENT } from '../support/resources/agent.ts';
import { inAWorld } from '../support/worlds/e2e-world.ts';
import { noteSecret, noteTold } from '../support/leaks/told.ts';
import { metricsOf } from '../support/worlds/operator-process.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();

const SECRET = 'deploy-secret-9876';
const TOKEN = 'conn-token-5555';
const ECHO = `env ${SECRET} is bad; your key is Bearer ${TOKEN}`;

/** The Secrets that the manifests below name. */
const SECRETS = `
apiVersion: v1
kind: Secret
metadata: {name: service}
stringData: {key: Bearer ${TOKEN}}
---
apiVersion: v1
kind: Secret
metadata: {name: app}
stringData: {token: ${SECRET}}
`;

/** A deployment through this connection. */
const manifest = (
  version: number,
  connection: object,
): string => `${agentManifest(version)}  connectionRef: ${JSON.stringify(connection)}
  secretsOwnership: Exclusive
  secrets: [{name: TOKEN, valueFrom: {secretKeyRef: {name: app, key: token}}}]
`;

const SPEC = {
  headers: [{ name: 'Authorization', valueFrom: { secretKeyRef: { name: 'service', key: 'key' } } }],
};

const onlyNamespace = (name: string): object => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });

const echo = (status: number): Fault => ({
  kind: 'status',
  status,
  headers: { sunset: ECHO, location: `https://elsewhere.example.com/?key=${TOKEN}` },
  body: JSON.stringify({ detail: ECHO }),
});

// The check after every test searches statuses and events of the cluster, the log and the values recorded here (H17).
test.each(['Connection', 'ClusterConnection'])(
  'a service that repeats what it was given shows none of it through a %s in a cluster: status, events, debug log, metrics',
  { timeout: 120_000 },
  async (kind) => {
    await inAWorld(
      plane(),
      {
        deployments: [LIVE_AGENT],
        rolloutSeconds: 0,
        start: false,
        connection: false,
      },
      async (world) => {
        noteSecret(TOKEN);
        await world.apply(SECRETS);
        // The cluster is shared, so the name belongs to this world only.
        const connection = { kind, name: `echoing-${world.namespace}` };
        const spec =
          kind === 'Connection' ? SPEC : { ...SPEC, namespaceSelector: onlyNamespace(world.namespace) };
        const applied = JSON.parse(connectionManifest(world.server.url, spec)) as object;
        await world.apply(JSON.stringify({ ...applied, kind, metadata: { name: connection.name } }));
        world.run();
        await world.apply(manifest(1, connection));
        await world.untilReason('agent', 'InSync', 60_000);

        const { faults } = world.service;
        faults.add({ match: { operation: 'patch' }, fault: echo(422), times: 0 });
        await world.apply(manifest(2, connection));
        await world.until('the refusal is shown', async () =>
          JSON.stringify((await world.get('agent')).status?.conditions).includes('answered with 422'),
        );
        for (const status of [401, 500]) {
          faults.clear();
          faults.add({ match: {}, fault: echo(status), times: 0 });
          await world.apply(manifest(status, connection));
          await world.untilReason('agent', 'ConnectionNotReady', 60_000);
        }
        noteTold('the metrics', await metricsOf(world.operator));
        // Controllers of other worlds may write this status too: a ClusterConnection belongs to the whole cluster.
        let status: unknown;
        await world.until('the connection shows the answer', async () => {
          const shown = await world.kubectl('get', kind.toLowerCase(), connection.name, '-o', 'json');
          ({ status } = JSON.parse(shown) as { status?: object });
          return JSON.stringify(status).includes('was answered with');
        });
        noteTold(`the status of the ${kind}`, status);
        await world.kubectl('delete', kind.toLowerCase(), connection.name);
        expect(world.operator.lines.some((line) => line.includes('was answered with 401'))).toBe(true);
      },
    );
  },
);
