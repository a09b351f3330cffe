import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runbookFile } from '../../scripts/monitoring/rules.ts';
import { DEPLOYMENT_STATUS } from '../api/full-status.ts';
import { commandLines, ROOT } from '../docs/support.ts';
import { addCommands, OUR_PROGRAM, runInShell } from '../gitops/support/shell.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ALERTS } from './support/shipped.ts';

const cluster = useOwnControlPlane();

/** Commands that need more than an API server: running pods, a service that answers, a waiting plan. */
const LEFT = /^kubectl (?:logs|rollout) |^dms-operator (?:get|approve) /;

/** Every command of the runbooks, once. Some search with grep for lines that a healthy cluster does not have. */
const COMMANDS = [
  ...new Set(
    ALERTS.flatMap((alert) => commandLines(`docs/runbooks/${runbookFile(alert)}`))
      .map((line) => line.replace(/ \| grep .*$/, ''))
      .filter((command) => !LEFT.test(command)),
  ),
].toSorted((one, other) => Number(isDelete(one)) - Number(isDelete(other)));

/** True for a command that deletes an object. It runs after those that read the object. */
function isDelete(command: string): boolean {
  return command.startsWith('kubectl delete ');
}

/** The objects in the runbooks. */
const OBJECTS = `
apiVersion: v1
kind: Namespace
metadata: {name: team-a}
---
apiVersion: dms-operator.dev/v1alpha1
kind: Connection
metadata: {name: default, namespace: team-a}
spec: {baseURL: 'https://deploy.example.com'}
---
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: support-agent, namespace: team-a}
spec: {source: external_container}
---
apiVersion: v1
kind: Secret
metadata: {name: dms-operator-digest-key, namespace: dms-operator}
data: {key: ${Buffer.alloc(32, 'k').toString('base64')}}
`;

async function kubectl(args: readonly string[], stdin?: string): Promise<void> {
  const { code, stderr } = await cluster().kubectl(args, stdin === undefined ? {} : { stdin });
  expect(code, stderr).toBe(0);
}

beforeAll(async () => {
  await cluster().installCRDs();
  await kubectl(['apply', '--server-side', '-k', join(ROOT, 'manifests', 'install')]);
  await kubectl(['apply', '-f', '-'], OBJECTS);
  const status = [
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status: DEPLOYMENT_STATUS }),
  ];
  await kubectl(['patch', '-n', 'team-a', 'dmsd/support-agent', ...status]);
});

test.each(COMMANDS)('%s', async (command) => {
  const folder = temporaryFolder();
  addCommands(folder, {
    'dms-operator': OUR_PROGRAM,
    kubectl: `#!/bin/sh\nexec '${cluster().kubectlFile}' "$@"\n`,
  });
  const KUBECONFIG = folder.write('kubeconfig', readFileSync(cluster().kubeconfigFile));
  const { code, out } = await runInShell(command, folder, { KUBECONFIG });
  expect(code, out).toBe(0);
});
