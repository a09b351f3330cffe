/** Readers that do harm on purpose. The fuzzer must detect each of them, which shows that it would detect others. */
import { SECRET } from './harm.ts';
import { type Target, texts } from './target.ts';

const HUGE = 10_000;

/** Makes a reader that does harm for an input larger than any random one. */
function whenHuge(harm: (text: string) => unknown): Target {
  return reading((text) => (text.length > HUGE ? harm(text) : undefined));
}

/** Makes a reader that does harm for a random input with this word. */
function whenNamed(harm: () => unknown): Target {
  return reading((text) => (text.length <= HUGE && text.includes('__proto__') ? harm() : undefined));
}

function reading(read: (text: string) => unknown): Target {
  return {
    whole: texts('a', 'b'),
    isJSON: false,
    frames: [(huge) => huge],
    read: (input) => {
      const told = read(input.toString());
      return typeof told === 'string' ? [told] : [];
    },
  };
}

const kept: unknown[] = [];

/** Exported in the form of the files of targets. */
export const TARGETS = {
  // Takes a kilobyte for each character, and keeps none of it.
  hungry: whenHuge((text) => Array.from(text, (sign) => Array.from({ length: 128 }, () => sign)).length),
  endless: whenHuge(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
  fatal: whenHuge(() => process.kill(process.pid, 'SIGSEGV')),
  keeping: whenHuge(() => kept.push(Array.from({ length: 500_000 }, (_, at) => at))),
  talkative: whenHuge((text) => text),
  fatalByChance: whenNamed(() => process.kill(process.pid, 'SIGSEGV')),
  throwing: whenNamed(() => JSON.parse('{')),
  polluting: whenNamed(() => Reflect.set(Object.prototype, 'polluted', true)),
  replacing: whenNamed(() => Reflect.set(String.prototype, 'anchor', undefined)),
  telling: whenNamed(() => `no such value: ${SECRET}`),
  // Compares each word with every one before it, like a search for duplicates in a list.
  quadratic: reading((text) => {
    const words: string[] = [];
    for (const word of text.split(',')) if (words.every((other) => other !== `${word}!`)) words.push(word);
  }),
} satisfies Readonly<Record<string, Target>>;
