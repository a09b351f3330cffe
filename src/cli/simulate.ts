import { semanticsWords, startSimulation } from '../compose/simulation.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { renderTable } from './render.ts';
import type { Terminal } from './terminal.ts';
import type { SimulateOptions } from './words/simulate.ts';

/** Serves a simulated service until stopped, or prints the words for its behaviour. */
export async function simulateCommand(options: SimulateOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.semantics === 'list') {
    terminal.out(wordTable(terminal.columns));
    return EXIT.ok;
  }
  const signal = terminal.untilStopped();
  const simulation = await startSimulation(options);
  terminal.out(`simulated service at ${simulation.url} with ${simulation.deployments} deployments\n`);
  terminal.out(`change its behaviour at ${simulation.controlURL}; Ctrl-C ends it\n`);
  await aborted(signal);
  await simulation.close();
  return EXIT.ok;
}

function wordTable(columns: number): string {
  const rows = semanticsWords().map(({ group, words, about }) => [group, about, words]);
  return renderTable({ header: ['GROUP', 'ABOUT', 'WORDS (write word, or group:word)'], rows }, columns);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
