import type { Written } from '../model/losses.ts';
import type { Observation } from '../model/observation.ts';
import type { PatchBody } from '../model/patch-body.ts';
import type { Learned } from '../model/semantics.ts';

/** What a connection has shown about its service, and the memory it is learned from. */
export interface Learning {
  readonly learned: Learned;
  /** True when a value that we sent came back exactly, in this process: only then values may be compared. */
  readonly secretsPlain: boolean;
  /** Remembers a PATCH that was answered. */
  wrote(id: string, written: Written): void;
  /** A write that was allowed came to nothing. */
  abandoned(id: string): void;
  /** The newest PATCH to a deployment whose effect has not been seen in the list yet. */
  written(id: string): Written | undefined;
  /** Values that were shown as they are look masked now: none is believed until a write proves it again. */
  sawMasks(id: string): void;
  /** Takes an observation into account; the answer to a write proves a loss, a later list anything. */
  see(id: string, observation: Observation): void;
  /**
   * Asks to send a body. False while the first write on a connection of unknown behaviour is being watched, and this
   * one has something to lose.
   */
  mayWrite(id: string, observation: Observation, body: PatchBody): boolean;
}
