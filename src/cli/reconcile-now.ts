import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { refuseIfPaused, type Verb, verbCommand } from './verbs.ts';
import type { VerbOptions } from './words/verbs.ts';

/** `reconcile`: one pass now. */
export function reconcileCommand(
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const verb: Verb = {
    done: 'will be looked at',
    say: (resource, nowMs) => {
      refuseIfPaused(resource, options.wait === true);
      return { kind: 'set', annotation: 'reconcileAt', value: timeText(nowMs) };
    },
    handled: ({ status }) => status?.lastHandledReconcileAt,
  };
  return verbCommand(verb, options, terminal, words);
}

/** `redeploy`: the revision block once more. */
export function redeployCommand(
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const verb: Verb = {
    done: 'will be redeployed',
    say: (resource, nowMs) => {
      refuseIfPaused(resource, options.wait === true);
      return { kind: 'set', annotation: 'redeploy', value: timeText(nowMs) };
    },
    handled: ({ status }) => status?.lastHandledRedeploy,
  };
  return verbCommand(verb, options, terminal, words);
}

/** To the millisecond: a text counts only when it is another one than before. */
function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
