import { parse } from 'yaml';
import { textOf } from '../../docs/support.ts';

/** One step of a job: an action or a script. */
export interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** The work on one machine. */
export interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  /** The name of the environment, whose settings in the repository list the approvers of a job. */
  readonly environment?: string;
  readonly needs?: string | readonly string[];
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

/** A file that defines automatic work of the repository host. */
export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** The folder in which the host of the repository looks for them. */
export const FOLDER = '.github/workflows';

/** Reads one of them. */
export function workflow(file: string): Workflow {
  return parse(textOf(`${FOLDER}/${file}`)) as Workflow;
}
