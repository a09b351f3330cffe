import type * as fc from 'fast-check';
import type { DEAL, Part } from './deal.ts';

/** Something that reads what comes from outside. */
export interface Target {
  /** What is read in ordinary life; what is made by chance begins with these. */
  readonly whole: readonly Buffer[];
  /** Whether these are JSON, so that their parts can be changed as well as their text. */
  readonly isJSON: boolean;
  /** Where something large can stand in an input. */
  readonly frames: readonly ((huge: string) => string)[];
  /** What is huge beside JSON; absent: nothing. */
  readonly huge?: readonly Huge[];
  /** How much it is given of what is huge, where a tenth of it is much already; 1 unless told. */
  readonly share?: number;
  /** Other inputs, made from nothing. */
  readonly more?: fc.Arbitrary<Buffer>;
  /**
   * Reads one input and answers every text that a person or a log would be told. Throws where anything goes wrong but in
   * one of the ways that are declared.
   */
  readonly read: (input: Buffer) => readonly string[] | Promise<readonly string[]>;
}

/** The targets of one file, by name: one for each that inputs are dealt to. */
export type Targets<P extends Part> = Readonly<Record<keyof (typeof DEAL)[P], Target>>;

/** Something huge, by a name for people; made when it is needed, whole or a share of it. */
export interface Huge {
  readonly name: string;
  readonly text: (share: number) => string;
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
