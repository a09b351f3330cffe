import { isDeepStrictEqual } from 'node:util';
import { ROLLOUT_REASONS, SYNCED_REASONS } from '../../api/condition.ts';
import { CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { problemText } from '../../api/file-problem.ts';
import { countText, inARow } from '../../base/text-for-people.ts';
import type { ApplyListener } from '../../compose/apply/apply-once.ts';
import type { ApplyPlan, Question, ResourceStanding } from '../../compose/apply/apply-oversight.ts';
import type { Event } from '../../model/outcome/event.ts';
import { agreed } from '../terminal/ask.ts';
import { type Paint, paintFor } from '../terminal/paint.ts';
import type { ApplyDocument } from '../generated/documents.ts';
import { cutTo } from '../render/render-table.ts';
import { type BodyOf, type DataFormat, renderDocument } from '../render/render-data.ts';
import { renderPlan } from '../render/render-plan.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The number of resources that a terminal shows one below the other; the others are only counted. */
const MOST_SHOWN = 10;

/**
 * The reasons of conditions. An event with such a reason repeats the state of its resource, which is printed anyway.
 */
const CONDITION_REASONS: ReadonlySet<string> = new Set([...SYNCED_REASONS, ...ROLLOUT_REASONS]);

/** Actions of events that report a write. */
const WRITES: ReadonlySet<string> = new Set(['Create', 'Patch', 'Delete']);

type ProgressTerminal = Pick<Terminal, 'out' | 'err' | 'columns'>;

/**
 * Prints the progress of resources. Each event is a line that stays; on a terminal, the unfinished resources with their
 * current state follow below.
 */
export class ApplyProgress {
  readonly #terminal: ProgressTerminal;
  readonly #live: boolean;
  readonly #told = new Map<string, string>();
  /** Resources that this run reports line by line; all others are only counted. */
  readonly #touched = new Set<string>();
  #lostSecrets = false;
  #below: readonly string[] = [];

  constructor(terminal: ProgressTerminal) {
    this.#terminal = terminal;
    this.#live = Number.isFinite(terminal.columns);
  }

  /** Prints an event, unless the conditions say the same. */
  event(about: DeploymentResource | ConnectionResource, event: Event): void {
    const { type, reason, action, message } = event;
    if (reason === 'UnmanagedSecretsLost') this.#lostSecrets = true;
    const ofConnection = about.kind !== DEPLOYMENT_KIND;
    if (!ofConnection && !this.#isOfInterest(keyText(keyOf(about)), event)) return;
    if (ofConnection ? type === 'Normal' : action === 'Observe' && CONDITION_REASONS.has(reason)) return;
    const warned = type === 'Warning' ? `warning, ${reason}: ` : '';
    this.#draw([`${resourceText(keyOf(about))}: ${warned}${message}`], this.#below);
  }

  /** True if the service lost secrets that cannot be sent back. */
  get lostSecrets(): boolean {
    return this.#lostSecrets;
  }

  /** Prints the writes that would be sent or are held back, if there are any. */
  plan({ questions, resources }: ApplyPlan, paint: Paint): void {
    if (questions.length === 0 && resources.every(({ changes }) => changes.length === 0)) return;
    for (const { key } of questions) this.#touched.add(keyText(key));
    this.#draw([renderPlan(resources, this.#terminal.columns, paint).trimEnd()], this.#below);
  }

  /** Prints the state of each resource if it differs from its last printed state. */
  show(standings: readonly ResourceStanding[]): void {
    const news = standings.filter((resource) => this.#isNews(resource)).map(standingText);
    const open = standings.filter(({ standing }) => standing.kind === 'waiting');
    const shown = open.slice(0, MOST_SHOWN).map(standingText);
    const rest = open.length > MOST_SHOWN ? [`and ${open.length - MOST_SHOWN} more`] : [];
    this.#draw(news, this.#live ? [...shown, ...rest] : []);
  }

  /** Prints a note for people. */
  note(text: string): void {
    const below = this.#below;
    this.#draw([], []);
    this.#terminal.err(`${text}\n`);
    this.#draw([], below);
  }

  /** Removes the current states from the terminal and leaves the lines that stay. */
  end(): void {
    this.#draw([], []);
  }

  /** Returns the final state of the resources: a line for people, or the document for programs. */
  result(standings: readonly ResourceStanding[], format: 'text' | DataFormat): string {
    return format === 'text' ? `${tally(standings)}\n` : renderDocument(documentOf(standings), format);
  }

  #isNews({ key, standing: { kind, reason } }: ResourceStanding): boolean {
    const text = `${kind} ${reason}`;
    if (this.#told.get(keyText(key)) === text) return false;
    this.#told.set(keyText(key), text);
    // Unfinished resources are in the table below, if there is one. Without a known state they are no news.
    if (kind === 'waiting' && (this.#live || reason === 'Pending')) return false;
    if (kind === 'settled' && !this.#touched.has(keyText(key))) return false;
    this.#touched.add(keyText(key));
    return true;
  }

  /** True for warnings, and for every event of a resource for which something was sent. */
  #isOfInterest(text: string, { type, action }: Event): boolean {
    if (type === 'Warning' || WRITES.has(action)) this.#touched.add(text);
    return this.#touched.has(text);
  }

  /** Prints lines that stay, above the lines of the current state. */
  #draw(lines: readonly string[], below: readonly string[]): void {
    const fitting = below.map((line) => cutTo(line, this.#terminal.columns - 1));
    if (lines.length === 0 && isDeepStrictEqual(fitting, this.#below)) return;
    const erased = this.#below.length === 0 ? '' : `\u001b[${this.#below.length}A\u001b[J`;
    this.#terminal.out(erased + [...lines, ...fitting].map((line) => `${line}\n`).join(''));
    this.#below = fitting;
  }
}

/** Shows a run of `apply` on the terminal, and asks the person at it. */
export function applyListener(
  terminal: Terminal,
  progress: ApplyProgress,
  flags: { readonly filename: readonly string[]; readonly yes?: true },
): ApplyListener {
  return {
    warnings: (problems) => problems.forEach((problem) => terminal.err(`${problemText(problem)}\n`)),
    trouble: (line) => progress.note(line),
    event: (about, event) => progress.event(about, event),
    progress: (standings) => progress.show(standings),
    async agrees(plan, signal) {
      progress.plan(plan, paintFor(terminal));
      // If standard input contains manifests, it cannot contain answers.
      const ask = flags.filename.includes('-') ? undefined : terminal.ask;
      const open = flags.yes === true ? [] : plan.questions.filter(needsAnswer(ask !== undefined));
      // The agreement of a person covers only the writes that were shown: unknown ones wait for the next apply.
      if (open.length === 0) return ask === undefined ? 'agreed without one' : 'agreed by a person';
      const about = {
        what: questionText(open),
        refused: 'nothing was sent',
        flags: '--yes to have it done',
      };
      return (await agreed(about, { ask, err: terminal.err }, signal)) ? 'agreed by a person' : 'refused';
    },
  };
}

/**
 * Returns a test whether a write needs an answer. A person answers for every write. A pipeline sends changes without an
 * answer, and needs a yes to create or delete.
 */
function needsAnswer(byPerson: boolean): (question: Question) => boolean {
  return ({ operation }) => byPerson || operation !== 'patch';
}

/** Joins the questions of a plan into one, with the names of the resources. */
function questionText(questions: readonly Question[]): string {
  const parts = OPERATIONS.flatMap(([operation, verb]) => {
    const asked = questions.filter((question) => question.operation === operation);
    if (asked.length === 0) return [];
    const names = inARow(asked.map(({ key }) => resourceText(key)));
    return [`${verb} ${countText(asked.length, 'deployment')} (${names})`];
  });
  return `this ${parts.join(' and ')}`;
}

const OPERATIONS = [
  ['patch', 'changes'],
  ['create', 'creates'],
  ['delete', 'deletes'],
] as const;

/** Returns `namespace/name`, for a connection with its kind. */
function resourceText({ kind, namespace, name }: Key): string {
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return kind === DEPLOYMENT_KIND ? place : `${kind === CONNECTION_KIND ? 'connection' : kind} ${place}`;
}

const WORDS = { settled: 'settled', waiting: 'waiting', held: 'held', failed: 'failed' } as const;

/** Counts the resources in each state, such as `2 settled, 1 failed`. */
function tally(standings: readonly ResourceStanding[]): string {
  const counts = (Object.keys(WORDS) as (keyof typeof WORDS)[]).map((kind) => {
    const count = standings.filter(({ standing }) => standing.kind === kind).length;
    return count === 0 && kind !== 'settled' ? '' : `${count} ${WORDS[kind]}`;
  });
  return counts.filter((text) => text !== '').join(', ');
}

function standingText({ key, standing: { kind, reason, message } }: ResourceStanding): string {
  return `${resourceText(key)}: ${WORDS[kind]}, ${reason}: ${message}`;
}

function documentOf(standings: readonly ResourceStanding[]): BodyOf<ApplyDocument> {
  const countOf = (wanted: ResourceStanding['standing']['kind']): number =>
    standings.filter(({ standing: { kind } }) => kind === wanted).length;
  return {
    summary: {
      resources: standings.length,
      settled: countOf('settled'),
      waiting: countOf('waiting'),
      held: countOf('held'),
      failed: countOf('failed'),
    },
    resources: standings.map(({ key, standing }) => ({
      ...{ kind: key.kind, namespace: key.namespace, name: key.name },
      ...{ result: standing.kind, reason: standing.reason, message: standing.message },
    })),
  };
}
