import { isMap, isScalar, type Node, parseDocument, type YAMLMap } from 'yaml';

/** One value of the chart, as values.yaml has it. */
interface Value {
  readonly path: string;
  readonly about: string;
  readonly preset: string;
}

/** Makes a table of the values of a chart from values.yaml: the comment above a value is its description. */
export function valuesTable(valuesYaml: string): string {
  const rows = valuesOf(valuesYaml).map(
    ({ path, about, preset }) => `| \`${path}\` | ${preset === '' ? '' : `\`${preset}\``} | ${about} |`,
  );
  return ['| Value | Default | What for |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The values of a chart, each as a path such as `image.tag`. */
export function valuePaths(valuesYaml: string): readonly string[] {
  return valuesOf(valuesYaml).map(({ path }) => path);
}

function valuesOf(valuesYaml: string): readonly Value[] {
  const { contents } = parseDocument(valuesYaml);
  if (!isMap(contents)) throw new Error('values.yaml is no map');
  return valuesIn(contents, '');
}

function valuesIn(map: YAMLMap, above: string): readonly Value[] {
  return map.items.flatMap(({ key, value }, index): readonly Value[] => {
    if (!isScalar(key)) throw new Error(`values.yaml: a key below "${above}" is no word`);
    const path = `${above}${String(key.value)}`;
    // The comment above the first key of a map belongs to the map.
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined);
    if (isMap(value) && value.items.length > 0 && isCommented(value)) return valuesIn(value, `${path}.`);
    if (typeof comment !== 'string') throw new Error(`values.yaml: nothing says what ${path} is for`);
    return [{ path, about: comment.trim().replaceAll(/\s*\n\s*/g, ' '), preset: presetOf(value as Node) }];
  });
}

/** True for a map in which something is a value; false for one that is a value as a whole. */
function isCommented(map: YAMLMap): boolean {
  return (
    typeof map.commentBefore === 'string' ||
    map.items.some(
      ({ key, value }) =>
        (isScalar(key) && typeof key.commentBefore === 'string') || (isMap(value) && isCommented(value)),
    )
  );
}

function presetOf(value: Node): string {
  const text = JSON.stringify(value.toJSON() ?? null);
  return text === '""' ? '' : text.replaceAll(/^"|"$/g, '');
}
