/** A change to the text of a manifest. The text must match once or more; `put` gets the matches of a pattern. */
export interface Edit {
  readonly find: string | RegExp;
  readonly put: string | ((found: string, ...groups: readonly string[]) => string);
}

const NAME = '{{ include "dms-operator.fullname" $ }}';

/** Edits of every file: labels, names and the namespace. An edit that does not match changes nothing. */
const EVERYWHERE: readonly Edit[] = [
  {
    find: /^( +)(\w+):\n( +)app\.kubernetes\.io\/name: dms-operator\n {4,}app\.kubernetes\.io\/instance: dms-operator\n/gm,
    put: (_, above = '', field = '', indent = '') => {
      const labels = above.length === 2 && field === 'labels' ? 'labels' : 'selectorLabels';
      return `${above}${field}:\n${indent}{{- include "dms-operator.${labels}" $ | nindent ${indent.length} }}\n`;
    },
  },
  {
    find: / {2}- kind: ServiceAccount\n {4}name: dms-operator\n/g,
    put: '  - kind: ServiceAccount\n    name: {{ include "dms-operator.serviceAccountName" $ }}\n',
  },
  {
    find: /^( {2,4})namespace: dms-operator$/gm,
    put: (_, indent) => `${indent}namespace: {{ $.Release.Namespace }}`,
  },
  { find: /^ {2}name: dms-operator\b/gm, put: `  name: ${NAME}` },
];

/**
 * Makes a template from a manifest with its own edits, and then the common ones. Throws if one of its own does not
 * match.
 */
export function edited(manifest: string, edits: readonly Edit[]): string {
  const own = edits.reduce((text, edit) => {
    const after = carriedOut(text, edit);
    if (after === text) throw new Error(`nothing to change: ${String(edit.find)}`);
    return after;
  }, manifest);
  return EVERYWHERE.reduce(carriedOut, own);
}

function carriedOut(text: string, { find, put }: Edit): string {
  const replacement = typeof put === 'string' ? (): string => put : put;
  return typeof find === 'string' ? text.replaceAll(find, replacement) : text.replace(find, replacement);
}

/** Inserts lines after a text, in the given order. */
export function behind(find: string, ...lines: readonly string[]): Edit {
  return { find, put: `${find}${lines.join('\n')}\n` };
}

/** A field that holds the YAML of a value where that is not empty, as lines of a template. */
export function fieldWhenGiven(indent: number, field: string, value: string): readonly string[] {
  const margin = ' '.repeat(indent);
  return [
    `${margin}{{- with ${value} }}`,
    `${margin}${field}:`,
    `${margin}  {{- toYaml . | nindent ${indent + 2} }}`,
    `${margin}{{- end }}`,
  ];
}

/** Lines that are rendered only when something holds. */
export function only(when: string, indent: number, lines: string): string {
  const margin = ' '.repeat(indent);
  return `${margin}{{- if ${when} }}\n${lines}${margin}{{- end }}\n`;
}
