import { semanticsWords, startSimulation } from '../../compose/demo/simulation.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { countText, wrapped } from '../render/render.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SimulateOptions } from '../words/simulate.ts';

/** Serves a simulated service until stopped, or prints the words for its behaviour. */
export async function simulateCommand(options: SimulateOptions, terminal: Terminal): Promise<ExitCode> {
  if (options.semantics === 'list') {
    terminal.out(wordList(terminal.columns));
    return EXIT.ok;
  }
  const signal = terminal.untilStopped();
  const simulation = await startSimulation(options);
  terminal.out(
    `simulated service at ${simulation.url} with ${countText(simulation.deployments, 'deployment')}\n`,
  );
  terminal.out(`change its behaviour at ${simulation.controlURL}; Ctrl-C ends it\n`);
  await aborted(signal);
  await simulation.close();
  return EXIT.ok;
}

/** Groups with their words below, which are there to be read to the last. */
function wordList(columns: number): string {
  const groups = semanticsWords().map(
    ({ group, words, about }) => `${group}: ${about}\n${wrapped(words, columns, '    ')}\n`,
  );
  return `Write word, or group:word where a word is in several groups.\n\n${groups.join('')}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
