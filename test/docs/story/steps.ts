/** A file that a page has its reader write: a block below a line that ends with "as `NAME`:". */
export interface PageFile {
  readonly kind: 'file';
  readonly name: string;
  readonly text: string;
}

/** A command that a page has its reader type, with what the page says comes of it. */
export interface PageCommand {
  readonly kind: 'command';
  /** As it is typed, with the lines that continue it. */
  readonly line: string;
  /** 0, or what `# exit code N` behind the command says. */
  readonly code: number;
  /** The lines below it; none where the page does not show what is printed. */
  readonly shown: readonly string[];
}

/** One thing that the reader of a page does. */
export type PageStep = PageFile | PageCommand;

const BLOCK = /^```(?<language>\w+)\n(?<text>[^]*?)^```$/gm;
const NAMED = /\bas\s+`(?<name>[^`]+)`:\s*$/i;

/** What the reader of a page does, in order. */
export function stepsOn(page: string): readonly PageStep[] {
  return [...page.matchAll(BLOCK)].flatMap((block): readonly PageStep[] => {
    const { language = '', text = '' } = block.groups ?? {};
    if (language === 'console') return commandsIn(text);
    const name = NAMED.exec(page.slice(0, block.index))?.groups?.['name'];
    return name === undefined ? [] : [{ kind: 'file', name, text }];
  });
}

/** The commands of a block for a shell: each begins with `$ `, and goes on behind a backslash. */
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
