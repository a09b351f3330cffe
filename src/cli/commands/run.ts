import { runOperator } from '../../compose/run/run.ts';
import type { RunConfig } from '../../config.ts';
import { isColoured } from '../terminal/colour.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `run`: the controller, in a cluster or on a directory, until it is stopped. */
export async function runCommand(config: RunConfig, terminal: Terminal): Promise<ExitCode> {
  const onTerminal = Number.isFinite(terminal.columns);
  const format = config.logFormat ?? (onTerminal ? 'pretty' : 'json');
  const how = { format, colour: isColoured(terminal) };
  const end = await runOperator(config, how, terminal.untilStopped());
  return end === 'stopped' ? EXIT.ok : terminal.endNow(EXIT.failed);
}
