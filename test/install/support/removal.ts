import { expect } from 'vitest';
import { INSTALLING } from '../../docs/story/pages.ts';
import { stepsOn } from '../../docs/story/steps.ts';
import { textOf } from '../../docs/support.ts';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';

const HEADING = 'Removing everything\n';
const UNINSTALL = 'helm uninstall ';
const IN_TIME = '--timeout=45s';

/** Every installed object that is not a user's resource. */
const INSTALLED = [
  ...['deployments.apps', 'services', 'serviceaccounts', 'poddisruptionbudgets', 'networkpolicies'],
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings', 'customresourcedefinitions'],
];

/**
 * Runs the removal commands of docs/guides/installing.md while the controller runs, with the commands of the chosen way
 * in place of Helm's. No deletion may take longer than the limit.
 */
export async function removeEverything(plane: ControlPlane, uninstall: () => Promise<void>): Promise<void> {
  const lines = removalLines();
  expect(lines.filter((line) => line.startsWith(UNINSTALL))).toHaveLength(1);
  for (const line of lines) {
    if (line.startsWith(UNINSTALL)) await uninstall();
    else await typed(plane, line);
  }
  const left = await plane.kubectl([
    ...['get', INSTALLED.join(','), '--all-namespaces', '-o', 'name'],
    ...['-l', 'app.kubernetes.io/name=dms-operator'],
  ]);
  expect(left).toMatchObject({ code: 0, stdout: '' });
}

function removalLines(): readonly string[] {
  const section = textOf(INSTALLING)
    .split(/^## /m)
    .find((text) => text.startsWith(HEADING));
  return stepsOn(section ?? '').flatMap((step) => (step.kind === 'command' ? [step.line] : []));
}

async function typed(plane: ControlPlane, line: string): Promise<void> {
  const [program, ...words] = line.split(' ');
  expect(program).toBe('kubectl');
  const { code, stderr } = await plane.kubectl([...words, IN_TIME]);
  expect(code, `${line}: ${stderr}`).toBe(0);
}
