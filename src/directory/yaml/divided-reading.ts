/** A plain scalar that kubectl and the API server read in one way, and other tools in another. */
export interface DividedReading {
  readonly value: string | number | boolean;
  readonly here: string;
  readonly elsewhere: string;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
]);
const OF_YAML_1_2 = 'to tools of YAML 1.2';

/** Matches integers as Go reads them with base 0, where the prefix gives the base. */
const INTEGER = /^([-+]?)(?:0b([01]+)|0x([0-9a-f]+)|0o?([0-7]+))$/i;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;
/**
 * Matches hours, minutes and seconds. YAML 1.1 adds them up to a number, and the YAML library of Kubernetes does not.
 */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * Reads an unquoted, untagged scalar as Kubernetes does. Returns undefined if `read`, the YAML 1.2 value, is the same.
 * The library of Kubernetes speaks YAML 1.1, except for sexagesimal numbers. A manifest must mean the same in a folder
 * and in a cluster.
 */
export function dividedReading(source: string, read: unknown): DividedReading | undefined {
  const truth = BOOLEANS.get(source);
  if (truth !== undefined) return { value: truth, here: 'a boolean', elsewhere: `a text ${OF_YAML_1_2}` };
  if (SEXAGESIMAL.test(source)) {
    return { value: source, here: 'a text', elsewhere: 'a number to tools of YAML 1.1' };
  }
  const value = /^[-+.0-9]/.test(source) ? numberIn(source.replaceAll('_', '')) : undefined;
  if (value === undefined || value === read) return undefined;
  if (typeof read !== 'number') return { value, here: 'a number', elsewhere: `a text ${OF_YAML_1_2}` };
  return { value, here: 'an octal number', elsewhere: `a decimal one ${OF_YAML_1_2}` };
}

function numberIn(text: string): number | undefined {
  const [, sign, binary, hexadecimal, octal] = INTEGER.exec(text) ?? [];
  const digits = binary ?? hexadecimal ?? octal;
  if (digits === undefined) return DECIMAL.test(text) ? Number(text) : undefined;
  const base = binary === undefined ? (hexadecimal === undefined ? 8 : 16) : 2;
  return Number.parseInt(digits, base) * (sign === '-' ? -1 : 1);
}
