import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEMO_SPEED, runDemo } from '../../compose/demo/demo.ts';
import { switchesFrom } from '../../compose/demo/simulation.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { renderTable } from '../render/render.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { DemoOptions } from '../words/demo.ts';
import { Timeline } from './timeline.ts';

const MANIFESTS = join('manifests', 'examples', 'demo');

/** `demo`: the main job on embedded parts, as a timeline; fails when anything of the story did not happen. */
export async function demoCommand({ semantics }: DemoOptions, terminal: Terminal): Promise<ExitCode> {
  const switches = semantics === undefined ? {} : switchesFrom(semantics);
  const timeline = new Timeline(terminal, DEMO_SPEED);
  timeline.opening();
  try {
    const resources = await runDemo(manifestsFolder(), switches, timeline, terminal.untilStopped());
    terminal.out(`\n${renderTable(tableOf(resources), terminal.columns)}`);
    terminal.out(
      '\nEverything happened as told. Next: npm run dev, for the same with a real Kubernetes API server.\n',
    );
    return EXIT.ok;
  } catch (error) {
    terminal.err(
      `\nThe demo did not get to its end: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return EXIT.failed;
  }
}

/** Beside the bundle or in the checkout: the nearest one above this file, whose own depth differs between the two. */
function manifestsFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const found = join(folder, MANIFESTS);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) throw new Error(`${MANIFESTS} is missing beside the program`);
  }
}

function tableOf(resources: readonly DeploymentResource[]): Parameters<typeof renderTable>[0] {
  const condition = ({ status }: DeploymentResource, type: string) =>
    status?.conditions?.find((c) => c.type === type);
  return {
    header: ['NAME', 'READY', 'SYNCED', 'REASON', 'STATUS', 'ACTIVE REVISION'],
    rows: resources.map((resource) => [
      resource.metadata.name,
      condition(resource, 'Ready')?.status ?? '',
      condition(resource, 'Synced')?.status ?? '',
      condition(resource, 'Ready')?.reason ?? '',
      resource.status?.serviceStatus ?? '',
      resource.status?.activeRevisionID ?? '',
    ]),
  };
}
