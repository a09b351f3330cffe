import { VERSION } from '../compose/version.ts';
import { readRunConfig, UsageError } from '../config.ts';
import { type Invocation, parseArguments } from './args.ts';
import { errorText } from './error-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { Stopped, type Terminal } from './terminal.ts';

/**
 * Understands a command line and carries it out. Never throws: what went wrong is told on the terminal, in one line
 * where a person can mend it. Commands are loaded when they are needed, so that help comes at once.
 */
export async function dispatch(
  words: readonly string[],
  program: string,
  terminal: Terminal,
): Promise<ExitCode> {
  let signal: AbortSignal | undefined;
  const watched: Terminal = { ...terminal, untilStopped: () => (signal = terminal.untilStopped()) };
  try {
    const invocation = parseArguments(words, { program, version: VERSION, columns: terminal.columns });
    const code = await carryOut(invocation, watched);
    // A controller is stopped as a matter of course; everything else did not get to its end.
    return invocation.kind === 'run' ? code : (codeOfStop(signal) ?? code);
  } catch (error) {
    const stopped = codeOfStop(signal);
    if (stopped !== undefined && error === signal?.reason) return stopped;
    terminal.err(`${errorText(error, program)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

async function carryOut(invocation: Invocation, terminal: Terminal): Promise<ExitCode> {
  switch (invocation.kind) {
    case 'text':
      terminal.out(invocation.text);
      return EXIT.ok;
    case 'run': {
      const config = readRunConfig(invocation.flags, terminal.environment);
      const { runCommand } = await import('./run.ts');
      return runCommand(config, terminal);
    }
    case 'demo': {
      const { demoCommand } = await import('./demo.ts');
      return demoCommand(invocation.options, terminal);
    }
    case 'simulate': {
      const { simulateCommand } = await import('./simulate.ts');
      return simulateCommand(invocation.options, terminal);
    }
    case 'validate': {
      const { validateCommand } = await import('./validate.ts');
      return validateCommand(invocation.options, terminal);
    }
    case 'crds': {
      const { crdsCommand } = await import('./crds.ts');
      return crdsCommand(terminal);
    }
  }
}

function codeOfStop(signal: AbortSignal | undefined): ExitCode | undefined {
  const reason: unknown = signal?.aborted === true ? signal.reason : undefined;
  if (!(reason instanceof Stopped)) return undefined;
  return reason.by === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
}
