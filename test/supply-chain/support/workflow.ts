import { parse } from 'yaml';
import { textOf } from '../../docs/support.ts';

/** One thing that a job does: an action or a script. */
export interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** What happens on one machine. */
export interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  /** Settings of the repository say who must agree before a job of it begins. */
  readonly environment?: string;
  readonly needs?: string | readonly string[];
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

/** A file that says what the host of the repository does by itself. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Where the host of the repository looks for them. */
export const FOLDER = '.github/workflows';

/** Reads one of them. */
export function workflow(file: string): Workflow {
  return parse(textOf(`${FOLDER}/${file}`)) as Workflow;
}
