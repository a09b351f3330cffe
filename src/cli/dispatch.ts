import { VERSION } from '../compose/operator/version.ts';
import { UsageError } from '../config.ts';
import { parseArguments } from './parse-arguments.ts';
import { errorText, wantsStack } from './program/error-text.ts';
import { EXIT, type ExitCode, Stopped, type Terminal } from './terminal/terminal.ts';

/**
 * Parses a command line and runs the command. Never throws: prints a failure on the terminal, in one line if a person
 * can correct it.
 */
export async function dispatch(
  words: readonly string[],
  program: string,
  terminal: Terminal,
): Promise<ExitCode> {
  let signal: AbortSignal | undefined;
  const watched: Terminal = { ...terminal, untilStopped: () => (signal = terminal.untilStopped()) };
  try {
    const { columns, environment } = terminal;
    const invocation = parseArguments(words, { program, version: VERSION, columns, environment });
    if (invocation.kind === 'text') {
      terminal.out(invocation.text);
      return EXIT.ok;
    }
    const code = await invocation.run(watched);
    // To stop a controller is normal; any other command was interrupted.
    return invocation.endsWhenStopped ? code : (codeOfStop(signal) ?? code);
  } catch (error) {
    const stopped = codeOfStop(signal);
    if (stopped !== undefined && error === signal?.reason) return stopped;
    const stack = wantsStack(words, terminal.environment);
    terminal.err(`${errorText(error, program, stack)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function codeOfStop(signal: AbortSignal | undefined): ExitCode | undefined {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined;
  if (!(reason instanceof Stopped)) return undefined;
  return reason.by === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
}
