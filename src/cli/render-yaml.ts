import { stringify } from 'yaml';

/** A value as YAML for people and scripts: long texts stay on their lines, and what is undefined is left out. */
export function renderYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
