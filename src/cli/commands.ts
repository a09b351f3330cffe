import { approve } from './commands/annotate/approve.ts';
import { pause, reconcile, redeploy, resume } from './commands/annotate/verbs.ts';
import { apply } from './commands/apply.ts';
import { completion } from './commands/completion.ts';
import { consoleCommand } from './commands/console-command.ts';
import { crds } from './commands/crds.ts';
import { demo } from './commands/demo.ts';
import { describe } from './commands/describe.ts';
import { get } from './commands/get.ts';
import { importDeployments } from './commands/import-deployments.ts';
import { plan } from './commands/plan.ts';
import { run } from './commands/run.ts';
import { simulate } from './commands/simulate.ts';
import { status } from './commands/status.ts';
import { validate } from './commands/validate.ts';
import type { CliCommand } from './program/command.ts';

/** All commands, in the order in which help lists them. A new command needs a file in `commands/` and a line here. */
export const COMMANDS: readonly CliCommand[] = [
  run,
  plan,
  apply,
  validate,
  importDeployments,
  get,
  describe,
  status,
  consoleCommand,
  approve,
  pause,
  resume,
  reconcile,
  redeploy,
  demo,
  simulate,
  crds,
  completion,
];
