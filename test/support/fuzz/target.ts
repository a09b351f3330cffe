import type * as fc from 'fast-check';
import type { Scratch } from './scratch.ts';

/** Something that reads what comes from outside. */
export interface Target {
  readonly name: string;
  /** How many inputs are made by chance in `npm test`. */
  readonly cases: number;
  /** What is read in ordinary life; what is made by chance begins with these. */
  readonly whole: readonly Buffer[];
  /** Whether these are JSON, so that their parts can be changed as well as their text. */
  readonly isJSON: boolean;
  /** Where something large can stand in an input. */
  readonly frames: readonly ((huge: string) => string)[];
  /** What is huge beside JSON; absent: nothing. */
  readonly huge?: readonly Huge[];
  /** Other inputs, made from nothing. */
  readonly more?: fc.Arbitrary<Buffer>;
  /**
   * Reads one input and answers every text that a person or a log would be told. Throws where anything goes wrong but in
   * one of the ways that are declared.
   */
  readonly read: (input: Buffer) => readonly string[] | Promise<readonly string[]>;
  /** Where inputs are written to be read as files; removed at the end of a run. */
  readonly scratch?: Scratch;
}

/** Something huge, by a name for people; made when it is needed. */
export interface Huge {
  readonly name: string;
  readonly text: () => string;
}

/** Something that must never happen, whatever is read. */
export class Harm extends Error {}

/** Throws a Harm unless something holds. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Harm(what);
}

type Kind = abstract new (...args: never[]) => Error;

/** The message of an error of one of these kinds; any other error is thrown on. */
export function told(error: unknown, ...kinds: readonly Kind[]): readonly string[] {
  if (kinds.some((kind) => error instanceof kind)) return [(error as Error).message];
  throw error;
}

/** Texts as the bytes of an input. */
export function texts(...all: readonly string[]): readonly Buffer[] {
  return all.map((text) => Buffer.from(text));
}
