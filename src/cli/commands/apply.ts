import { type ApplyEnd, type ApplyListener, applyOnce } from '../../compose/apply/apply.ts';
import type { Question, ResourceStanding } from '../../compose/apply/apply-oversight.ts';
import { readEgress } from '../../config.ts';
import type { Egress } from '../../model/connection/egress.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { problemText } from '../../api/file-problem.ts';
import { inARow } from '../../model/effects/unrestored.ts';
import { ApplyProgress, resourceText, tally } from './apply-progress.ts';
import { agreed } from '../terminal/ask.ts';
import { paintFor } from '../terminal/colour.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { countText } from '../render/render.ts';
import type { ApplyDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument } from '../render/render-data.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ApplyWords } from '../words/apply.ts';

const TIMEOUT_MS = 300_000;

/** As long as a revision may take unless `spec.rollout.deadlineSeconds` says otherwise. */
const WAIT_TIMEOUT_MS = 1_800_000;

/** `apply`: the operator on manifests, once, until everything is settled. */
export async function applyCommand(words: ApplyWords, terminal: Terminal): Promise<ExitCode> {
  const wait = words.wait === true;
  const signal = terminal.untilStopped();
  // A document is alone on standard output.
  const progress = new ApplyProgress(
    words.output === 'text' ? terminal : { out: terminal.err, err: terminal.err, columns: Infinity },
  );
  signal.addEventListener('abort', () => progress.note('stopping: what is under way is ended first'), {
    once: true,
  });
  const options = {
    ...{ paths: words.filename, state: words.state, secretsDir: words.secretsDir },
    ...{ prune: words.prune === true, egress: egressOf(words, terminal) },
    ...{ yes: words.yes === true, sendSecrets: words.sendSecrets === true, plan: words.plan },
    goal: wait ? ('active' as const) : ('synced' as const),
    timeoutMs: words.timeout ?? (wait ? WAIT_TIMEOUT_MS : TIMEOUT_MS),
  };
  const listener = listenerOn(terminal, progress, words);
  try {
    const end = await applyOnce(options, listener, terminal.readStdin, signal);
    return report(end, words, terminal, progress);
  } finally {
    progress.end();
  }
}

function egressOf({ allowHosts, proxyHosts, proxyFromEnvironment }: ApplyWords, terminal: Terminal): Egress {
  return readEgress({ allowHosts, proxyHosts, proxyFromEnvironment }, terminal.environment);
}

function listenerOn(terminal: Terminal, progress: ApplyProgress, words: ApplyWords): ApplyListener {
  return {
    warnings: (problems) => problems.forEach((problem) => terminal.err(`${problemText(problem)}\n`)),
    trouble: (line) => progress.note(line),
    event: (about, event) => progress.event(about, event),
    progress: (standings) => progress.show(standings),
    async agrees(plan, signal) {
      progress.plan(plan, paintFor(terminal));
      // Standard input that holds manifests holds no answers.
      const ask = words.filename.includes('-') ? undefined : terminal.ask;
      const open = words.yes === true ? [] : plan.questions.filter(needsAnswer(ask !== undefined));
      // A person who answers for every write answers also for those that are not known yet: they wait for the next apply.
      if (open.length === 0) return ask === undefined ? 'agreed without one' : 'agreed by a person';
      const about = { what: questionText(open), refused: 'nothing was sent', flags: '--yes to have it done' };
      return (await agreed(about, { ask, err: terminal.err }, signal)) ? 'agreed by a person' : 'refused';
    },
  };
}

/** A person answers for every write. A pipeline sends changes, and takes a yes for what creates or deletes. */
function needsAnswer(byPerson: boolean): (question: Question) => boolean {
  return ({ operation }) => byPerson || operation !== 'patch';
}

function questionText(questions: readonly Question[]): string {
  const parts = OPERATIONS.flatMap(([operation, verb]) => {
    const names = questions.filter((one) => one.operation === operation).map(({ key }) => resourceText(key));
    if (names.length === 0) return [];
    return [`${verb} ${countText(names.length, 'deployment')} (${inARow(names)})`];
  });
  return `this ${parts.join(' and ')}`;
}

const OPERATIONS = [
  ['patch', 'changes'],
  ['create', 'creates'],
  ['delete', 'deletes'],
] as const;

function report(
  end: ApplyEnd,
  { output }: ApplyWords,
  terminal: Terminal,
  progress: ApplyProgress,
): ExitCode {
  switch (end.kind) {
    case 'invalid':
      terminal.err(end.problems.map((problem) => `${problemText(problem)}\n`).join(''));
      throw new ExpectedError('the manifests have errors: nothing was sent');
    case 'refused':
      return EXIT.failed;
    case 'ended': {
      progress.show(end.standings);
      progress.end();
      terminal.out(
        output === 'text' ? `${tally(end.standings)}\n` : renderDocument(documentOf(end.standings), output),
      );
      const kinds = new Set(end.standings.map(({ standing }) => standing.kind));
      if (progress.lostSecrets) {
        throw new ExpectedError('secrets that cannot be sent back are lost: see the warnings above');
      }
      if (kinds.has('failed')) return EXIT.failed;
      return kinds.has('waiting') || kinds.has('held') ? EXIT.unfinished : EXIT.ok;
    }
  }
}

/** The document for scripts. */
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
