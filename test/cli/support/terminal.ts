import { dispatch } from '../../../src/cli/dispatch.ts';
import { Stopped, type Terminal } from '../../../src/cli/terminal/terminal.ts';
import { noteTold } from '../../support/leaks/told.ts';
import { expectAsPublished, schemaNameOf } from './documents.ts';

/** The output of a command and its exit code. */
export interface CommandRun {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** Ctrl-C instead of an answer. */
export const CTRL_C = '\u0003';

/** A terminal that keeps its output. */
export class MemoryTerminal implements Terminal {
  outText = '';
  errText = '';
  readonly environment: Record<string, string>;
  readonly columns: number;
  /** The questions so far. Without an answer from the test, the terminal cannot ask. */
  readonly questions: string[] = [];
  readonly ask: Terminal['ask'];
  readonly #stdin: string;
  readonly #stop = new AbortController();

  constructor(
    given: { stdin?: string; environment?: Record<string, string>; columns?: number; answer?: string } = {},
  ) {
    const { answer } = given;
    this.ask =
      answer === undefined
        ? undefined
        : async (question, signal) => {
            this.questions.push(question);
            if (answer !== CTRL_C) return answer;
            this.stop('SIGINT');
            throw signal.reason;
          };
    this.#stdin = given.stdin ?? '';
    this.environment = given.environment ?? {};
    this.columns = given.columns ?? Infinity;
  }

  readonly out = (text: string): void => {
    noteTold('standard output', text);
    this.outText += text;
  };

  readonly err = (text: string): void => {
    noteTold('standard error', text);
    this.errText += text;
  };

  readonly readStdin = async (): Promise<Uint8Array> => Buffer.from(this.#stdin);

  readonly untilStopped = (): AbortSignal => this.#stop.signal;

  readonly endNow = (code: number): never => {
    throw new Error(`the program would end at once with ${code}`);
  };

  /** Acts like Ctrl-C or SIGTERM. */
  stop(by: 'SIGINT' | 'SIGTERM'): void {
    this.#stop.abort(new Stopped(by));
  }
}

/** Runs a command in this process until it ends. Throws if its JSON output does not match its published schema. */
export async function run(
  words: readonly string[],
  given?: ConstructorParameters<typeof MemoryTerminal>[0],
): Promise<CommandRun> {
  const terminal = new MemoryTerminal(given);
  const code = await dispatch(words, 'dms-operator', terminal);
  const schema = schemaNameOf(words);
  if (schema !== undefined && terminal.outText !== '')
    expectAsPublished(schema, JSON.parse(terminal.outText));
  return { out: terminal.outText, err: terminal.errText, code };
}
