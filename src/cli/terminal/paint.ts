import type { Terminal } from './terminal.ts';

const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;

/** The style of a piece of text. */
export type Style = keyof typeof STYLES;

/** Styles a text, or returns it unchanged. */
export type Paint = (text: string, style: Style) => string;

/**
 * Returns a function that adds colours on a terminal. It returns texts unchanged without a terminal, or if the user has
 * disabled colours (NO_COLOR).
 */
export function paintFor(terminal: Pick<Terminal, 'columns' | 'environment'>): Paint {
  const coloured = isColoured(terminal);
  return (text, style) => (coloured ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}

/** Returns whether a person reads the output and has not disabled colours. */
export function isColoured({ columns, environment }: Pick<Terminal, 'columns' | 'environment'>): boolean {
  return Number.isFinite(columns) && (environment['NO_COLOR'] ?? '') === '';
}
