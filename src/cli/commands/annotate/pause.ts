import { ANNOTATIONS, type DeploymentResource } from '../../../api/deployment.ts';
import type { ExitCode } from '../../terminal/exit-code.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type Verb, verbCommand } from './verbs.ts';
import type { VerbOptions } from '../../words/annotate/verbs.ts';

const PAUSE: Verb = {
  done: 'paused',
  say: (resource) =>
    pausedBy(resource) === 'true'
      ? { kind: 'nothing', why: 'is paused already' }
      : { kind: 'set', annotation: 'paused', value: 'true' },
};

const RESUME: Verb = {
  done: 'resumed',
  // Any text goes, also one that pauses nothing and is only warned about.
  say: (resource) =>
    pausedBy(resource) === undefined
      ? { kind: 'nothing', why: 'is not paused' }
      : { kind: 'set', annotation: 'paused', value: null },
};

function pausedBy({ metadata }: DeploymentResource): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.paused];
}

/** `pause`: nothing is sent to the service for these resources any more. */
export function pauseCommand(
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  return verbCommand(PAUSE, options, terminal, words);
}

/** `resume`: the end of `pause`. */
export function resumeCommand(
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  return verbCommand(RESUME, options, terminal, words);
}
