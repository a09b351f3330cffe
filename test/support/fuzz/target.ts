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
  /** The proportion of a huge input to use, if a tenth is already large; default 1. */
  readonly share?: number;
  /** Other inputs, entirely random. */
  readonly more?: fc.Arbitrary<Buffer>;
  /**
   * Reads one input and returns every text for a person or a log. Throws for every failure except the declared ones.
   */
  readonly read: (input: Buffer) => readonly string[] | Promise<readonly string[]>;
}

/** The targets of one file by name, one for each reader that gets inputs. */
export type Targets<P extends Part> = Readonly<Record<keyof (typeof DEAL)[P], Target>>;

/** A huge input, with a name for people. It is created on demand, whole or in part. */
export interface Huge {
  readonly name: string;
  readonly text: (share: number) => string;
}

/** An effect that no input may have. */
export class Harm extends Error {}

/** Throws a Harm unless a condition holds. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Harm(what);
}

type Kind = abstract new (...args: never[]) => Error;

/** Returns the message of an error of one of these kinds. Rethrows any other error. */
export function told(error: unknown, ...kinds: readonly Kind[]): readonly string[] {
  if (kinds.some((kind) => error instanceof kind)) return [(error as Error).message];
  throw error;
}

/** Returns texts as the bytes of an input. */
export function texts(...all: readonly string[]): readonly Buffer[] {
  return all.map((text) => Buffer.from(text));
}
