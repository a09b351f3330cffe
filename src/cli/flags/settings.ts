import { nearest } from '../../api/nearest.ts';
import { type Environment, flagName, type Flags, UsageError, variableName } from '../../config.ts';

/** An error that describes the expected form of a text. */
export class Unexpected extends Error {}

interface Setting {
  /** The name that the user wrote: `--workers` or `DMS_OPERATOR_WORKERS`. */
  readonly source: string;
  readonly value: string | boolean | readonly string[];
}

/** Settings from flags and variables, by the name of the flag in camel case. Flags win. */
export class Settings {
  readonly #flags: Flags;
  readonly #environment: Environment;

  constructor(flags: Flags, environment: Environment) {
    this.#flags = flags;
    this.#environment = environment;
  }

  text(name: string): string | undefined {
    return this.checked(name, (text) => text, undefined);
  }

  checked<T, Absent>(name: string, check: (text: string) => T, absent: Absent): T | Absent {
    const setting = this.#find(name);
    if (setting === undefined) return absent;
    const { source, value } = setting;
    if (typeof value !== 'string') throw new UsageError(`${source}: expected one value`);
    return checkedText(source, value, check);
  }

  list(name: string, check: (text: string) => string): readonly string[] {
    const setting = this.#find(name);
    if (setting === undefined) return [];
    const { source, value } = setting;
    if (typeof value === 'boolean') throw new UsageError(`${source}: expected a value`);
    const texts = typeof value === 'string' ? [value] : value;
    const items = texts
      .flatMap((text) => text.split(','))
      .map((text) => checkedText(source, text.trim(), check));
    return Object.freeze([...new Set(items)]);
  }

  /** Returns paths from flags unchanged, since the name of a folder may contain a comma. */
  paths(name: string): readonly string[] {
    const setting = this.#find(name);
    if (setting === undefined) return [];
    const { source, value } = setting;
    if (typeof value === 'boolean') throw new UsageError(`${source}: expected a value`);
    const texts = typeof value === 'string' ? value.split(',').map((text) => text.trim()) : value;
    return Object.freeze([...new Set(texts.map((text) => checkedText(source, text, (path) => path)))]);
  }

  flag(name: string, absent = false): boolean {
    const setting = this.#find(name);
    if (setting === undefined) return absent;
    const { source, value } = setting;
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') throw new UsageError(`${source}: expected one value`);
    return checkedText(source, value, oneOf(['true', 'false'])) === 'true';
  }

  refuseUnless(needed: string, name: string): void {
    const setting = this.#meant(name);
    if (setting === undefined || this.#meant(needed) !== undefined) return;
    throw new UsageError(`${setting.source}: works only together with ${flagName(needed)}`);
  }

  refuseWith(other: string, name: string): void {
    const setting = this.#meant(name);
    if (setting === undefined || this.#meant(other) === undefined) return;
    throw new UsageError(
      `${setting.source}: does not go together with ${flagName(other)}, which needs no cluster`,
    );
  }

  refuseTogether(name: string, other: string): void {
    const [one, two] = [this.#meant(name), this.#meant(other)];
    if (one === undefined || two === undefined) return;
    throw new UsageError(`${one.source}: does not go together with ${two.source}; leave out one of them`);
  }

  /** Returns a setting, unless it is an explicit `false`. */
  #meant(name: string): Setting | undefined {
    const setting = this.#find(name);
    return setting?.value === false || setting?.value === 'false' ? undefined : setting;
  }

  #find(name: string): Setting | undefined {
    const flag = this.#flags[name];
    if (flag !== undefined) return { source: flagName(name), value: flag };
    const variable = variableName(name);
    const text = this.#environment[variable];
    return text === undefined || text === '' ? undefined : { source: variable, value: text };
  }
}

function checkedText<T>(source: string, text: string, check: (text: string) => T): T {
  try {
    if (text === '') throw new Unexpected('a value');
    return check(text);
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    throw new UsageError(`${source}: ${JSON.stringify(text)} is not ${error.message}`);
  }
}

/** Returns a parser that accepts the allowed texts. The parser throws Unexpected. */
export function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found !== undefined) return found;
    const close = nearest(text, allowed);
    const hint = close === undefined ? '' : ` (Did you mean ${close}?)`;
    throw new Unexpected(`one of ${allowed.join(', ')}${hint}`);
  };
}
