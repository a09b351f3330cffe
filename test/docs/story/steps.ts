/** A file that the reader of a page writes: a block below a line that ends with "as `NAME`:". */
export interface PageFile {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
}

/** A command that the reader of a page types, with the output on the page. */
export interface PageCommand {
  readonly kind: 'command';
  /** The command as typed, with its continuation lines. */
  readonly line: string;
  /** The exit code: 0, or the number in `# exit code N` after the command. */
  readonly code: number;
  /** The output lines below the command. Empty if the page shows no output. */
  readonly shown: readonly string[];
}

/** One action of the reader of a page. */
export type PageStep = PageFile | PageCommand;

const BLOCK = /^```(?<language>\w+)\n(?<text>[^]*?)^```$/gm;
const NAMED = /\bas\s+`(?<name>[^`]+)`:\s*$/i;

/** Returns the actions of the reader of a page, in order. */
export function stepsOn(page: string): readonly PageStep[] {
  return [...page.matchAll(BLOCK)].flatMap((block): readonly PageStep[] => {
    const { language = '', text = '' } = block.groups ?? {};
    if (language === 'console') return commandsIn(text);
    const name = NAMED.exec(page.slice(0, block.index))?.groups?.['name'];
    return name === undefined ? [] : [{ kind: 'file', name, text }];
  });
}

/** Returns the commands of a shell block. Each begins with `$ `, and continues after a backslash. */
function commandsIn(block: string): readonly PageCommand[] {
  const parts = block.split(/^\$ /m).slice(1);
  return parts.map((part) => {
    const lines = part.trimEnd().split('\n');
    const ends = lines.findIndex((line) => !line.endsWith('\\'));
    const line = lines.slice(0, ends + 1).join('\n');
    const code = /# exit code (\d+)/.exec(line)?.[1] ?? '0';
    return { kind: 'command', line, code: Number(code), shown: lines.slice(ends + 1) };
  });
}
