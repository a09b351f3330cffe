import type { CommandRun } from './terminal.ts';

/** What a person would see in a terminal: the line that was typed, what was printed, and the exit code. */
export function recording(line: string, { out, err, code }: CommandRun): string {
  return `$ ${line}\n${err}${out}$ echo $?\n${code}\n`;
}
