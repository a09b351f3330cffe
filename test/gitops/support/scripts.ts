import { parse } from 'yaml';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';

/** A part of a job that a shell runs. */
export interface Script {
  readonly name: string;
  readonly text: string;
}

interface GitHubStep {
  readonly name?: string;
  readonly run?: string;
}

/** Returns the scripts of a GitHub Actions workflow, in order. */
export function gitHubScripts(text: string): readonly Script[] {
  const { jobs } = parse(text) as {
    jobs: Readonly<Record<string, { readonly steps: readonly GitHubStep[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  return steps.flatMap(({ name = '', run }) => (run === undefined ? [] : [{ name, text: run }]));
}

interface GitLabJob {
  readonly extends?: string;
  readonly script?: readonly string[];
  readonly before_script?: readonly string[];
}

/** Returns the scripts of the jobs in a GitLab pipeline, in order, each with the scripts before it. */
export function gitLabScripts(text: string): readonly Script[] {
  const pipeline = parse(text) as Readonly<Record<string, GitLabJob>>;
  return Object.entries(pipeline).flatMap(([name, job]) => {
    if (job.script === undefined) return [];
    const before = pipeline[job.extends ?? 'default']?.before_script ?? [];
    return [{ name, text: [...before, ...job.script].join('\n') }];
  });
}

/** Returns the lines in which a script calls our program, without redirections. */
export function calledCommands(text: string): readonly string[] {
  return [...text.matchAll(/\bdms-operator ((?:"[^"]*"|[^\n"|>&])+)/g)].map((match) =>
    (match[1] ?? '').trim(),
  );
}

/** Checks that the program accepts the words of a line. Throws the error of the program otherwise. */
export function understand(line: string): void {
  const words = line.split(/\s+/).map((word) => word.replaceAll('"', ''));
  parseArguments(words, { program: 'dms-operator', version: '0', columns: 80 });
}
