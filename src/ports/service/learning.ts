import type { Written } from '../../model/effects/losses.ts';
import type { Observation, ObservedSecret } from '../../model/external/observation.ts';
import type { Level, PatchBody } from '../../model/external/patch-body.ts';
import type { Learned } from '../../model/effects/semantics.ts';

/** A finding about a service: a lesson that the connection's status remembers, or a sighting of this process alone. */
export type News = 'lesson' | 'seen';

/** The verdicts of a connection about its service, with the memory they are learned from. */
export interface Learning {
  readonly learned: Learned;
  /** True when a value that we sent came back exactly, in this process: only then values may be compared. */
  readonly secretsPlain: boolean;
  /**
   * Where the next body may leave something out although the service is believed to empty it: after some whole bodies, so
   * that a belief that is wrong can be seen to be wrong. Undefined where it may not.
   */
  readonly trial: ReadonlySet<Level> | undefined;
  /** Remembers a PATCH that was answered. */
  wrote(id: string, written: Written): void;
  /** A write that was allowed came to nothing. */
  abandoned(id: string): void;
  /** True where this process wrote to a deployment: what it left out then is remembered here. */
  wroteTo(id: string): boolean;
  /** A key that a write of an earlier process left out is gone. */
  foundLoss(id: string): void;
  /** The newest PATCH to a deployment whose effect has not been seen in the list yet. */
  written(id: string): Written | undefined;
  /** Secrets of ours are shown as they were applied. */
  sawApplied(id: string, secrets: readonly ObservedSecret[]): void;
  /** Values that were shown as they are look masked now: none is believed until a write proves it again. */
  sawMasks(id: string): void;
  /**
   * A look at the list must have begun then or later, to show what became of what a write left out; 0 where none is
   * owed.
   */
  owedSinceMs(id: string): number;
  /** Takes an observation into account; only a list that was read after a write teaches something of it. */
  see(id: string, observation: Observation): void;
  /** True while the connection's behaviour is unknown and no write to another deployment is being watched to learn it. */
  pioneers(id: string): boolean;
  /**
   * Asks to send a body. False while the first write on a connection of unknown behaviour is being watched, and this
   * one has something to lose.
   */
  mayWrite(id: string, observation: Observation, body: PatchBody): boolean;
}
