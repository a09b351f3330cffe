import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Harm, must } from './target.ts';

/** Longer than any single text for people, including place and advice. */
const LONGEST_TOLD = 8 * 1024;

/** More text than any one input should cause. */
const MOST_TOLD = 256 * 1024;

/** Memory that may remain after a hundred thousand inputs: caches with their own limits. */
const MOST_KEPT_BYTES = 48 * 1024 * 1024;

const WATCHED = [
  ...[
    Object,
    Array,
    String,
    Number,
    Boolean,
    Function,
    Map,
    Set,
    Promise,
    RegExp,
    Error,
    Date,
    Symbol,
    Buffer,
  ],
  ...[Uint8Array, URL, URLSearchParams, TextDecoder, AbortController],
].flatMap((known): readonly object[] => [known, known.prototype as object]);

const OBJECT_KEYS: ReadonlySet<PropertyKey> = new Set(Reflect.ownKeys(Object.prototype));

/** The secret in the inputs. No reader may repeat it. */
export const SECRET = 'kanarienvogel-5f1c9e';

/** Checks everything that a reader could harm while it reads. */
export class HarmWatch {
  readonly #before = WATCHED.map(stateOf);
  readonly #heapBytes = heapBytes();

  /**
   * Throws a Harm if these texts are too many or too long, or contain the secret, or if a built-in object has changed.
   */
  afterOne(told: readonly string[]): void {
    must(!this.#healed(), 'Object.prototype was changed');
    const all = told.reduce((sum, text) => sum + text.length, 0);
    must(all <= MOST_TOLD, `${all} characters were told of one input, in ${told.length} texts`);
    for (const text of told) {
      must(
        text.length <= LONGEST_TOLD,
        `a text of ${text.length} characters was told: ${text.slice(0, 200)}`,
      );
      must(!text.includes(SECRET), `the secret was told: ${text.slice(0, 400)}`);
    }
  }

  /** True if all objects had received a property. Removes it, so that only the responsible input is reported. */
  #healed(): boolean {
    const added = Reflect.ownKeys(Object.prototype).filter((key) => !OBJECT_KEYS.has(key));
    for (const key of added) Reflect.deleteProperty(Object.prototype, key);
    return added.length > 0;
  }

  /** Throws a Harm if a built-in object has changed, or if memory is still held for old inputs. */
  afterAll(): void {
    for (const [at, known] of WATCHED.entries()) {
      const [before, now] = [this.#before[at], stateOf(known)];
      for (const [key, value] of now) {
        if (!Object.is(before?.get(key), value))
          throw new Harm(`${String(key)} of something built in was changed`);
      }
    }
    const kept = heapBytes() - this.#heapBytes;
    must(kept <= MOST_KEPT_BYTES, `${Math.round(kept / 1024 / 1024)} MiB are held for what was read`);
  }
}

/** Returns every own property of a built-in object, with its value. */
function stateOf(known: object): ReadonlyMap<PropertyKey, unknown> {
  const keys = Reflect.ownKeys(known);
  return new Map(keys.map((key) => [key, Reflect.getOwnPropertyDescriptor(known, key)?.value]));
}

/** Returns the bytes that remain after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
