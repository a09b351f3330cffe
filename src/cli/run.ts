import { runOperator } from '../compose/run.ts';
import type { RunConfig } from '../config.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** `run`: the controller, in a cluster or on a directory, until it is stopped. */
export async function runCommand(config: RunConfig, terminal: Terminal): Promise<ExitCode> {
  const onTerminal = Number.isFinite(terminal.columns);
  const format = config.logFormat ?? (onTerminal ? 'pretty' : 'json');
  const end = await runOperator(config, { format, colour: onTerminal }, terminal.untilStopped());
  return end === 'stopped' ? EXIT.ok : terminal.endNow(EXIT.failed);
}
