import type { StatusRow } from '../resources/status-row.ts';
import type { Tone } from './tone.ts';

/** The first screen: all deployment resources, the worst first. */
export interface FleetScreen {
  /** Such as `9,412 ready · 3 wait for a person · 1 stalled`; over all that the filter chose. */
  readonly sentence: string;
  readonly bar: readonly ReasonCount[];
  readonly rows: readonly FleetRow[];
  /** How many resources there are. */
  readonly total: number;
  /** How many the filter chose. */
  readonly matched: number;
  /** From 1. */
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
  /** Why the filter is not understood; then it chooses all. */
  readonly filterError?: string;
}

/** How many resources have a reason. */
export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
  readonly tone: Tone;
}

/** One resource, as `status -o json` prints it, with what a screen needs beside that. */
export interface FleetRow extends StatusRow {
  readonly tone: Tone;
  /** Name of the connection that it uses, or would use. */
  readonly connection: string;
  readonly labels: Readonly<Record<string, string>>;
}
