import type { CliCommand } from './command.ts';
import { apply } from './words/apply.ts';
import { approve } from './words/approve.ts';
import { completion } from './words/completion.ts';
import { crds } from './words/crds.ts';
import { demo } from './words/demo.ts';
import { describe } from './words/describe.ts';
import { get } from './words/get.ts';
import { importWords } from './words/import.ts';
import { plan } from './words/plan.ts';
import { pause } from './words/pause.ts';
import { reconcile } from './words/reconcile.ts';
import { redeploy } from './words/redeploy.ts';
import { resume } from './words/resume.ts';
import { run } from './words/run.ts';
import { simulate } from './words/simulate.ts';
import { status } from './words/status.ts';
import { validate } from './words/validate.ts';

/** Every command, in the order in which help lists them. Another one is a file in `words/` and a line here. */
export const COMMANDS: readonly CliCommand[] = [
  run,
  plan,
  apply,
  validate,
  importWords,
  get,
  describe,
  status,
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
