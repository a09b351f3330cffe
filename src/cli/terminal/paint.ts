import type { Terminal } from './terminal.ts';

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;

/** How a piece of text may look. */
export type Style = keyof typeof STYLES;

/** Makes text look so, or leaves it as it is. */
export type Paint = (text: string, style: Style) => string;

/** Colours on a terminal whose user has not asked for none (NO_COLOR); anywhere else the text as it is. */
export function paintFor(terminal: Pick<Terminal, 'columns' | 'environment'>): Paint {
  const coloured = isColoured(terminal);
  return (text, style) => (coloured ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** Whether a person looks who has not asked for no colours. */
export function isColoured({ columns, environment }: Pick<Terminal, 'columns' | 'environment'>): boolean {
  return Number.isFinite(columns) && (environment['NO_COLOR'] ?? '') === '';
}
