import { ANNOTATIONS, type DeploymentResource } from '../../../api/deployment.ts';
import type { Deployments, FilePlace, ToAnnotate } from '../../../compose/session/deployments.ts';
import { ExpectedError } from '../../../base/expected-error.ts';
import { inOneLine } from '../../../base/text-for-people.ts';
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts';
import { type Followed, follow } from './follow.ts';
import type { VerbsDocument } from '../../generated/documents.ts';
import { type BodyOf, renderDocument } from '../../render/render-data.ts';
import { openDeployments, readSelection } from '../../flags/selection.ts';
import { nothingIn, tellProblems } from '../status.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { VerbOptions } from '../../words/annotate/verbs.ts';

/** One change of annotations that a verb makes on a resource. */
export type Saying =
  | { readonly kind: 'set'; readonly annotation: keyof typeof ANNOTATIONS; readonly value: string | null }
  /** It is so already. */
  | { readonly kind: 'nothing'; readonly why: string };

/** A verb that speaks to the controller through an annotation. */
export interface Verb {
  /** The line printed about a resource after the change. */
  readonly done: string;
  /** Told before anything is said. */
  readonly tell?: (resource: DeploymentResource, terminal: Terminal) => void;
  /** Throws an ExpectedError where it may not be said. */
  readonly say: (resource: DeploymentResource, nowMs: number) => Saying;
  /** Asks about the resources that would change, before any change; absent: no question. */
  readonly agrees?: (resources: readonly DeploymentResource[], signal: AbortSignal) => Promise<boolean>;
  /** The text that the controller has acted on. */
  readonly handled?: (resource: DeploymentResource) => string | undefined;
}

type Result = BodyOf<VerbsDocument>['resources'][number];

/**
 * Says to the controller what a verb means, about each resource that is meant; with --wait until it was acted on. What
 * may not be said about one is said about none.
 */
export async function verbCommand(
  verb: Verb,
  options: VerbOptions,
  terminal: Terminal,
  words: readonly string[],
): Promise<ExitCode> {
  const selection = readSelection(words, options, { orAll: false });
  const signal = terminal.untilStopped();
  const deployments = await openDeployments(options, terminal, signal);
  try {
    if (tellProblems(deployments, terminal) !== EXIT.ok) return EXIT.failed;
    const resources = await deployments.find(selection, signal);
    if (resources.length === 0) terminal.err(`${nothingIn(selection)}\n`);
    for (const resource of resources) verb.tell?.(resource, terminal);
    const sayings = resources.map((resource) => ({
      resource,
      saying: verb.say(resource, deployments.clock.now()),
    }));
    const meant = sayings.filter(({ saying }) => saying.kind === 'set').map(({ resource }) => resource);
    if (meant.length > 0 && (await verb.agrees?.(meant, signal)) === false) return EXIT.failed;
    return await sayAll(verb, sayings, { deployments, options, terminal, signal });
  } finally {
    await deployments.close();
  }
}

interface About {
  readonly deployments: Deployments;
  readonly options: VerbOptions;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function sayAll(
  verb: Verb,
  sayings: readonly { readonly resource: DeploymentResource; readonly saying: Saying }[],
  about: About,
): Promise<ExitCode> {
  const { deployments, options, terminal, signal } = about;
  const followed: Followed[] = [];
  const results: Result[] = [];
  let byHand = false;
  const add = (resource: DeploymentResource, result: string, edited?: FilePlace): void => {
    const { namespace = '', name } = resource.metadata;
    results.push({ namespace, name, result, ...edited });
    if (options.output === 'text') terminal.out(`${namespace}/${name} ${result}\n`);
    if (options.output === 'name') terminal.out(`deployment.dms-operator.dev/${name}\n`);
  };
  const wanted = sayings.flatMap(({ resource, saying }): readonly ToAnnotate[] =>
    saying.kind === 'nothing'
      ? []
      : [{ resource, change: { name: ANNOTATIONS[saying.annotation], value: saying.value } }],
  );
  const annotating = deployments.annotate(wanted, signal);
  for (const { resource, saying } of sayings) {
    if (saying.kind === 'nothing') {
      add(resource, saying.why);
      continue;
    }
    const { value: annotated } = await annotating.next();
    if (annotated === undefined) continue;
    if (annotated.kind === 'by hand') {
      byHand = true;
      terminal.err(`${annotated.what}\n`);
      continue;
    }
    add(resource, verb.done, annotated.edited);
    if (annotated.edited !== undefined)
      terminal.err(`${editText(annotated.asked.change, annotated.edited)}\n`);
    if (saying.value !== null) followed.push({ resource, text: saying.value });
  }
  const code = options.wait === true ? await waitFor(verb, followed, about) : EXIT.ok;
  if (options.output === 'json' || options.output === 'yaml') {
    terminal.out(renderDocument({ resources: results } satisfies BodyOf<VerbsDocument>, options.output));
  }
  return byHand ? EXIT.failed : code;
}

/** Describes the edit of a manifest, which its author has to keep. */
function editText({ name, value }: ToAnnotate['change'], { file, line }: FilePlace): string {
  const what = value === null ? 'removed' : `set to ${JSON.stringify(value)}`;
  return inOneLine(`${file}:${line}: ${name} ${what}; commit this file`);
}

async function waitFor(verb: Verb, followed: readonly Followed[], about: About): Promise<ExitCode> {
  const { deployments, options, terminal, signal } = about;
  const { handled } = verb;
  if (handled === undefined) return EXIT.ok;
  const left = await follow(followed, { deployments, handled, timeoutMs: options.timeout, signal });
  for (const { resource, end } of left) {
    const name = `${resource.metadata.namespace ?? ''}/${resource.metadata.name}`;
    terminal.err(
      end === 'gone'
        ? `${name}: was deleted meanwhile\n`
        : `${name}: the controller did not act within ${options.timeout / 1000} s\n`,
    );
  }
  if (left.some(({ end }) => end === 'gone')) return EXIT.failed;
  return left.length === 0 ? EXIT.ok : EXIT.unfinished;
}

/** Who waits for a controller that may not act would wait in vain. */
export function refuseIfPaused({ metadata }: DeploymentResource, wait: boolean): void {
  if (!wait || metadata.annotations?.[ANNOTATIONS.paused] !== 'true') return;
  const name = `${metadata.namespace ?? ''}/${metadata.name}`;
  throw new ExpectedError(`${name}: is paused, so that nothing would come of waiting; resume it first`);
}
