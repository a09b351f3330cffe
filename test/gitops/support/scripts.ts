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

/** What the steps of a workflow of GitHub Actions run, in order. */
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

/** What the jobs of a pipeline of GitLab run, in order, each with what runs before it. */
export function gitLabScripts(text: string): readonly Script[] {
  const pipeline = parse(text) as Readonly<Record<string, GitLabJob>>;
  return Object.entries(pipeline).flatMap(([name, job]) => {
    if (job.script === undefined) return [];
    const before = pipeline[job.extends ?? 'default']?.before_script ?? [];
    return [{ name, text: [...before, ...job.script].join('\n') }];
  });
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
