import { randomBytes } from 'node:crypto';
import { type DirectoryAdapter, openDirectory } from '../../directory/store/directory-adapter.ts';
import { lineEndWarnings } from '../../directory/manifests/line-end-warnings.ts';
import {
  ManifestFiles,
  type Manifests,
  type ReadStdin,
  STDIN,
} from '../../directory/manifests/manifest-files.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import type { Key } from '../../api/metadata.ts';
import type { Egress } from '../../model/connection/egress.ts';
import type { Event } from '../../model/outcome/event.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { NO_PLACE_OF_STATE, secretFolder } from '../../directory/state/places.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import type { Goal } from '../../views/resources/standing.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';
import { Changes, untilFound } from '../../runtime/controller/changes.ts';
import { Manager } from '../../runtime/process/manager.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { createLogger } from '../../telemetry/create-logger.ts';
import { MetricsRegistry } from '../../telemetry/metrics-registry.ts';
import type { SavedPlan } from '../../views/plans/saved-plan.ts';
import { ApplyOversight, type ApplyPlan, type ResourceStanding } from './apply-oversight.ts';
import { directoryPhases } from '../operator/directory-phases.ts';
import { ReviewedWrites } from './reviewed-writes.ts';
import { savedPlanAt } from './saved-plans.ts';

/** The manifests to apply, and the options. */
export interface ApplyOptions {
  /** The paths of manifests: folders, files, or `-`. */
  readonly paths: readonly string[];
  /** Reads standard input for `-`. */
  readonly readStdin: ReadStdin;
  readonly state?: string | undefined;
  readonly secretsDir?: string | undefined;
  readonly prune: boolean;
  readonly egress: Egress;
  readonly goal: Goal;
  /** The time limit, which excludes the time for a person's answer. */
  readonly timeoutMs: number;
  /** True to send everything without a question. */
  readonly yes: boolean;
  /** True to send secrets even if nothing proves that they differ. */
  readonly sendSecrets: boolean;
  /** The file of a reviewed plan: the run sends exactly that plan or nothing. */
  readonly plan?: string | undefined;
}

/** Receives the progress of an apply. */
export interface ApplyListener {
  /** Reports possible mistakes in the manifests once, before anything else. */
  warnings(problems: readonly FileProblem[]): void;
  /**
   * Called once before anything is sent. Returns whether the whole plan may be carried out, and whether a person
   * agreed. Throws if a person has to answer and there is no terminal.
   */
  agrees(plan: ApplyPlan, signal: AbortSignal): Promise<Agreement>;
  /** Reports an error, in the form of a log line. */
  trouble(line: string): void;
  event(about: DeploymentResource | ConnectionResource, event: Event): void;
  /** Reports the progress; called shortly after a change. */
  progress(standings: readonly ResourceStanding[]): void;
}

/** The answer to a plan. Without a person, the agreement covers only writes that need no answer. */
export type Agreement = 'refused' | 'agreed by a person' | 'agreed without one';

/** The result. */
export type ApplyEnd =
  /** Nothing was sent because manifests have errors. */
  | { readonly kind: 'invalid'; readonly problems: readonly FileProblem[] }
  /** Nothing was sent because the person refused. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'ended'; readonly standings: readonly ResourceStanding[] };

const WORKERS = 64;

/** The shortest time between two reports of progress. */
const PROGRESS_MS = 50;

/**
 * Runs the operator on manifests that are read once. Ends when every resource has come as far as it can, the time is
 * over, or `signal` aborts; then it still finishes and records a write in progress. Throws an ExpectedError if it
 * cannot begin.
 */
export async function applyOnce(
  options: ApplyOptions,
  listener: ApplyListener,
  signal: AbortSignal,
): Promise<ApplyEnd> {
  const manifests = await checked(options, filesOf(options));
  const { problems } = manifests;
  if (problems.some(({ severity }) => severity === 'error')) return { kind: 'invalid', problems };
  const { paths, state, secretsDir, prune } = options;
  const secretFiles = secretsDir === undefined ? undefined : await secretFolder(secretsDir);
  listener.warnings([...problems, ...(await lineEndWarnings(manifests, secretFiles))]);
  const clock = systemClock;
  const output = { write: (line: string) => listener.trouble(line.trimEnd()) };
  const logger = createLogger({ level: 'error', format: 'pretty', clock, output });
  const adapter = await openDirectory(
    { paths, stateFile: state, secretsDir, prune, once: true },
    { clock, logger, manifests, randomBytes, digester: hmacDigester },
  );
  try {
    const reviewed =
      options.plan === undefined ? undefined : await savedPlanAt(options.plan, adapter.digester);
    return await new ApplyRun(options, listener, { adapter, clock, logger, reviewed }).run(signal);
  } finally {
    await adapter.stop();
  }
}

function filesOf({ paths, state, readStdin }: ApplyOptions): ManifestFiles {
  if (state === undefined && paths.every((path) => path === STDIN))
    throw new ExpectedError(NO_PLACE_OF_STATE);
  return new ManifestFiles(paths, { readStdin, ignored: state === undefined ? [] : [state] });
}

/** Reads and checks everything, without taking a lock or creating a file. */
async function checked({ paths }: ApplyOptions, manifestFiles: ManifestFiles): Promise<Manifests> {
  const manifests = await manifestFiles.read();
  if (manifests.declared.size === 0 && manifests.problems.length === 0) {
    throw new ExpectedError(`${paths.join(' ')}: there are no manifests of dms-operator here`);
  }
  return manifests;
}

interface RunParts {
  readonly adapter: DirectoryAdapter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reviewed: SavedPlan | undefined;
}

/** Throws an ExpectedError that lists the changes since the review of a plan, if there are any. */
function refuseOther(reviewed: ReviewedWrites, { resources }: ApplyPlan): void {
  const changed = reviewed.changedSince(resources.flatMap((resource) => resource.reviewed ?? []));
  if (changed.length === 0) return;
  throw new ExpectedError(`nothing was sent, since this is not what was reviewed: ${changed.join('; ')}`);
}

/** An operator that runs until there is nothing left to do or to wait for. */
class ApplyRun {
  readonly #options: ApplyOptions;
  readonly #listener: ApplyListener;
  readonly #clock: Clock;
  readonly #changes = new Changes();
  readonly #oversight: ApplyOversight;
  readonly #deployments: WakeableSource;
  readonly #manager: Manager;
  readonly #reviewed: ReviewedWrites | undefined;

  constructor(
    options: ApplyOptions,
    listener: ApplyListener,
    { adapter, clock, logger, reviewed }: RunParts,
  ) {
    this.#reviewed = reviewed && new ReviewedWrites(reviewed, (key) => this.#deployments.wake([key]));
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
    const about = { ...options, hashes: adapter.digester, reviewed: this.#reviewed };
    this.#oversight = new ApplyOversight(adapter, about, () => this.#changes.tell());
    this.#deployments = new WakeableSource(adapter.sources.deployments);
    const overseen: DirectoryAdapter = {
      ...adapter,
      sources: { ...adapter.sources, deployments: this.#deployments },
      events: { record: (about, event) => listener.event(about, event) },
    };
    const phases = directoryPhases(overseen, {
      ...{ clock, logger, oversight: this.#oversight, workers: WORKERS, dryRun: false },
      ...{ egress: options.egress, metrics: new MetricsRegistry(clock) },
    });
    this.#manager = new Manager({ phases, clock, logger });
  }

  async run(signal: AbortSignal): Promise<ApplyEnd> {
    const ending = new AbortController();
    const running = this.#manager.run(AbortSignal.any([signal, ending.signal]));
    try {
      // A controller that cannot start rejects. If it was stopped, `running` resolves, and the agreement will soon.
      const answer = await Promise.race([this.#agreement(signal), running.then(() => 'unanswered' as const)]);
      if (answer === 'refused') return { kind: 'refused' };
      if (answer === 'agreed') await Promise.race([this.#settling(signal), running]);
      return { kind: 'ended', standings: this.#oversight.standings() };
    } finally {
      ending.abort();
      await running;
    }
  }

  /** Resolves with 'agreed' before anything is sent, or with 'unanswered' if the time was over before the question. */
  async #agreement(signal: AbortSignal): Promise<'agreed' | 'refused' | 'unanswered'> {
    const plan = await this.#within(signal, () => this.#oversight.plan());
    if (plan === undefined) return 'unanswered';
    if (this.#reviewed !== undefined) refuseOther(this.#reviewed, plan);
    const agreement =
      this.#reviewed === undefined ? await this.#listener.agrees(plan, signal) : 'agreed by a person';
    if (agreement === 'refused') return 'refused';
    this.#deployments.wake(this.#oversight.open({ askedPerson: agreement === 'agreed by a person' }));
    return 'agreed';
  }

  async #settling(signal: AbortSignal): Promise<void> {
    await this.#within(signal, () => {
      const standings = this.#oversight.standings();
      this.#listener.progress(standings);
      return standings.every(({ standing }) => standing.kind !== 'waiting') ? true : undefined;
    });
  }

  async #within<T>(signal: AbortSignal, look: () => T | undefined): Promise<T | undefined> {
    const late = new AbortController();
    const cancel = this.#clock.after(this.#options.timeoutMs, () => late.abort());
    const after = { changes: this.#changes, clock: this.#clock, everyMs: PROGRESS_MS };
    try {
      return await untilFound(look, after, AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
    }
  }
}

/** A source of changes that can also wake some keys again. */
class WakeableSource implements ChangeSource {
  readonly #source: ChangeSource;
  #onChange: ((key: Key) => void) | undefined;

  constructor(source: ChangeSource) {
    this.#source = source;
  }

  start(onChange: (key: Key) => void, signal: AbortSignal): Promise<void> {
    this.#onChange = onChange;
    return this.#source.start(onChange, signal);
  }

  wake(keys: readonly Key[]): void {
    for (const key of keys) this.#onChange?.(key);
  }
}
