import { ANNOTATIONS, type DeploymentResource } from '../../../api/deployment.ts';
import type { Deployments, FilePlace, ToAnnotate } from '../../../compose/session/deployments.ts';
import { ExpectedError } from '../../../base/expected-error.ts';
import { inOneLine } from '../../../base/text-for-people.ts';
import type { AnnotationVerb, VerbChange } from '../../../views/resources/annotation-verbs.ts';
import type { SelectionFlags } from '../../flags/selection-flags.ts';
import { nothingIn, openDeployments, readSelection } from '../../flags/selection.ts';
import type { VerbsDocument } from '../../generated/documents.ts';
import type { Call } from '../../program/command.ts';
import { type BodyOf, renderDocument } from '../../render/render-data.ts';
import { EXIT, type ExitCode, type Terminal } from '../../terminal/terminal.ts';
import { printErrors } from '../../terminal/print-errors.ts';

/** The options of a verb that sets an annotation. */
export interface VerbOptions extends SelectionFlags {
  readonly output: 'text' | 'json' | 'yaml' | 'name';
  /** True for --wait; only for verbs that the controller acts on. */
  readonly wait?: true;
  /** The time limit, in milliseconds. */
  readonly timeout: number;
  /** True for --yes; only for verbs that ask. */
  readonly yes?: true;
}

/** A verb that sets an annotation for the controller, with the options of its call. */
export interface Verb extends AnnotationVerb {
  /** Shows a resource before any change. */
  readonly show?: (resource: DeploymentResource) => Promise<void>;
  /** Asks about the resources that would change, before any change; if absent, there is no question. */
  readonly agrees?: (resources: readonly DeploymentResource[], signal: AbortSignal) => Promise<boolean>;
  /** Returns the value that the controller has acted on. */
  readonly handled?: (resource: DeploymentResource) => string | undefined;
}

type Result = BodyOf<VerbsDocument>['resources'][number];

/**
 * Makes the change of a verb on each chosen resource; with --wait, waits until the controller has acted. If one change
 * is not permitted, makes none.
 */
export async function annotate(
  verb: Verb,
  options: VerbOptions,
  { terminal, words }: Call,
): Promise<ExitCode> {
  const selection = readSelection(words, options, { orAll: false });
  const signal = terminal.untilStopped();
  const deployments = await openDeployments(options, terminal, signal);
  try {
    if (printErrors(deployments.problems, terminal) !== EXIT.ok) return EXIT.failed;
    const resources = await deployments.find(selection, signal);
    if (resources.length === 0) terminal.err(`${nothingIn(selection, deployments)}\n`);
    for (const resource of resources) await verb.show?.(resource);
    const planned = resources.map((resource) => ({
      resource,
      change: changeOf(verb, resource, { wait: options.wait === true, nowMs: deployments.clock.now() }),
    }));
    const meant = planned.filter(({ change }) => change.kind === 'set').map(({ resource }) => resource);
    if (meant.length > 0 && (await verb.agrees?.(meant, signal)) === false) return EXIT.failed;
    return await makeAll(verb, planned, { deployments, options, terminal, signal });
  } finally {
    await deployments.close();
  }
}

/**
 * Returns the change of a verb on a resource. Throws an error with --wait if the controller may not act, since the wait
 * would never end.
 */
function changeOf(
  verb: Verb,
  resource: DeploymentResource,
  { wait, nowMs }: { readonly wait: boolean; readonly nowMs: number },
): VerbChange {
  const { namespace = '', name, annotations = {} } = resource.metadata;
  if (wait && annotations[ANNOTATIONS.paused] === 'true') {
    throw new ExpectedError(`${namespace}/${name}: is paused, so waiting would never end; resume it first`);
  }
  return verb.plan(resource, annotations[ANNOTATIONS[verb.annotation]], nowMs);
}

interface Planned {
  readonly resource: DeploymentResource;
  readonly change: VerbChange;
}

interface About {
  readonly deployments: Deployments;
  readonly options: VerbOptions;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function makeAll(verb: Verb, planned: readonly Planned[], about: About): Promise<ExitCode> {
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
  const wanted = planned.flatMap(({ resource, change }): readonly ToAnnotate[] =>
    change.kind === 'nothing'
      ? []
      : [{ resource, change: { name: ANNOTATIONS[verb.annotation], value: change.value } }],
  );
  const annotating = deployments.annotate(wanted, signal);
  for (const { resource, change } of planned) {
    if (change.kind === 'nothing') {
      add(resource, change.why);
      continue;
    }
    const { value: annotated } = await annotating.next();
    if (annotated === undefined) continue;
    if (annotated.kind === 'by hand') {
      byHand = true;
      terminal.err(`${annotated.what}\n`);
      continue;
    }
    add(resource, verb.doneText, annotated.edited);
    if (annotated.edited !== undefined)
      terminal.err(`${editText(annotated.asked.change, annotated.edited)}\n`);
    if (change.value !== null) followed.push({ resource, text: change.value });
  }
  const code = options.wait === true ? await waitFor(verb, followed, about) : EXIT.ok;
  if (options.output === 'json' || options.output === 'yaml') {
    terminal.out(renderDocument({ resources: results } satisfies BodyOf<VerbsDocument>, options.output));
  }
  return byHand ? EXIT.failed : code;
}

/** Describes the edit of a manifest, which the author of the manifest must keep. */
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

/** A resource and the value of its annotation. */
interface Followed {
  readonly resource: DeploymentResource;
  readonly text: string;
}

/** A resource on which the controller has not acted, and why the command stopped waiting. */
interface Unhandled {
  readonly resource: DeploymentResource;
  readonly end: 'gone' | 'time';
}

/** The interval between reads: a command that runs for seconds needs no watch. */
const PACE_MS = 500;

/**
 * Reads the resources until the controller has acted on each value or the time is over. Returns the resources on which
 * it has not acted. Rejects when `signal` aborts.
 */
export async function follow(
  followed: readonly Followed[],
  about: {
    readonly deployments: Pick<Deployments, 'again' | 'clock'>;
    readonly handled: (resource: DeploymentResource) => string | undefined;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Unhandled[]> {
  const { deployments, handled, timeoutMs, signal } = about;
  const { clock } = deployments;
  const endsMs = clock.now() + timeoutMs;
  const gone: Unhandled[] = [];
  let open = followed;
  for (;;) {
    const still: Followed[] = [];
    for (const one of open) {
      const resource = await deployments.again(one.resource, signal);
      if (resource === undefined) gone.push({ resource: one.resource, end: 'gone' });
      else if (handled(resource) !== one.text) still.push({ resource, text: one.text });
    }
    open = still;
    const leftMs = endsMs - clock.now();
    if (open.length === 0 || leftMs <= 0) break;
    await clock.sleep(Math.min(PACE_MS, leftMs), signal);
  }
  return [...gone, ...open.map(({ resource }): Unhandled => ({ resource, end: 'time' }))];
}
