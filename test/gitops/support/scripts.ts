import { parse } from 'yaml';
import { parseArguments } from '../../../src/cli/args.ts';

/** A part of a job that a shell runs. */
export interface Script {
  readonly name: string;
  readonly text: string;
}

interface GitHubStep {
  readonly name?: string;
  readonly run?: string;
}

/** What the steps of a workflow of GitHub Actions run, in order. */
export function gitHubScripts(text: string): readonly Script[] {
  const { jobs } = parse(text) as {
    jobs: Readonly<Record<string, { readonly steps: readonly GitHubStep[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  return steps.flatMap(({ name = '', run }) => (run === undefined ? [] : [{ name, text: run }]));
}

/** What the jobs of a pipeline of GitLab run, in order, each with what all of them run before. */
export function gitLabScripts(text: string): readonly Script[] {
  const pipeline = parse(text) as Readonly<Record<string, { script?: string[]; before_script?: string[] }>>;
  const before = pipeline['default']?.before_script ?? [];
  return Object.entries(pipeline).flatMap(([name, { script }]) =>
    script === undefined ? [] : [{ name, text: [...before, ...script].join('\n') }],
  );
}

/** The lines in which a script calls our program, without where its output goes. */
export function calledCommands(text: string): readonly string[] {
  return [...text.matchAll(/\bdms-operator ((?:"[^"]*"|[^\n"|>&])+)/g)].map((match) =>
    (match[1] ?? '').trim(),
  );
}

/** Holds when the program understands the words of a line; throws its own message otherwise. */
export function understand(line: string): void {
  const words = line.split(/\s+/).map((word) => word.replaceAll('"', ''));
  parseArguments(words, { program: 'dms-operator', version: '0', columns: 80 });
}
