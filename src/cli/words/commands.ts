import type { CliCommand } from '../program/command.ts';
import { apply } from './apply.ts';
import { approve } from './annotate/approve.ts';
import { completion } from './completion.ts';
import { crds } from './crds.ts';
import { demo } from './demo.ts';
import { describe } from './describe.ts';
import { get } from './get.ts';
import { importWords } from './import.ts';
import { plan } from './plan.ts';
import { pause } from './annotate/pause.ts';
import { reconcile } from './annotate/reconcile.ts';
import { redeploy } from './annotate/redeploy.ts';
import { resume } from './annotate/resume.ts';
import { run } from './run.ts';
import { simulate } from './simulate.ts';
import { status } from './status.ts';
import { validate } from './validate.ts';

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
