import type * as fc from 'fast-check';
import type { DEAL, Part } from './deal.ts';

/** A reader of outside data. */
export interface Target {
  /** Ordinary inputs, from which random ones are made. */
  readonly whole: readonly Buffer[];
  /** Whether the inputs are JSON, so that their parts can be changed as well as their text. */
  readonly isJSON: boolean;
  /** Places for a large value in an input. */
  readonly frames: readonly ((huge: string) => string)[];
  /** Huge inputs beside JSON; absent: none. */
  readonly huge?: readonly Huge[];
  /** The part of a huge input that it gets, if a tenth is already much; default 1. */
  readonly share?: number;
  /** Other inputs, made from nothing. */
  readonly more?: fc.Arbitrary<Buffer>;
  /**
   * Reads one input and returns every text for a person or a log. Throws for every failure except the declared ones.
   */
  readonly read: (input: Buffer) => readonly string[] | Promise<readonly string[]>;
}

/** The targets of one file, by name: one for each that inputs are dealt to. */
export type Targets<P extends Part> = Readonly<Record<keyof (typeof DEAL)[P], Target>>;

/** A huge input, with a name for people. It is made when it is needed, whole or in part. */
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
