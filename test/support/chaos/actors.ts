import { oneOf, type Random } from '../chance.ts';
import { noteSecret } from '../leaks/told.ts';
import type { Cluster } from './cluster.ts';
import { type Declared, manifestOf, secretManifestOf, secretName, specOf, wireContent } from './declared.ts';
import type { ServiceProcess } from './service-process.ts';

/** An action of a person. */
export type Act =
  'create' | 'edit' | 'rotate' | 'replace-secret' | 'annotate' | 'delete' | 'by-hand' | 'connection';

/** A completed action. */
export interface DoneAct {
  readonly atMs: number;
  readonly act: Act;
  readonly name: string;
}

/** Values that an edit may change; a token changes by rotation. */
const VALUES = ['image', 'cpu', 'url', 'word'] as const;

/** People who change resources, Secrets and deployments, at random from a seed and one action at a time. */
export class Actors {
  readonly fleet: readonly Declared[];
  readonly done: DoneAct[] = [];
  readonly #cluster: Cluster;
  readonly #service: ServiceProcess;
  readonly #random: Random;
  readonly #acts: readonly [Act, ...Act[]];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(about: {
    readonly fleet: readonly Declared[];
    readonly cluster: Cluster;
    readonly service: ServiceProcess;
    readonly random: Random;
    /** The acts to choose from; an act that the list contains twice happens twice as often. */
    readonly acts: readonly [Act, ...Act[]];
  }) {
    this.fleet = about.fleet;
    this.#cluster = about.cluster;
    this.#service = about.service;
    this.#random = about.random;
    this.#acts = about.acts;
  }

  /** Applies every resource once. */
  async createAll(): Promise<void> {
    for (const declared of this.fleet) await this.#do('create', declared);
  }

  /** Acts once, if the randomly chosen act is possible. */
  async act(): Promise<void> {
    const [first, ...others] = this.fleet;
    if (first === undefined) return;
    await this.#do(oneOf(this.#random, this.#acts), oneOf(this.#random, [first, ...others]));
  }

  /**
   * Carries out one act for a resource whose deployment is created and deleted with it: the first possible one in
   * random order.
   */
  async provoke(act: Act): Promise<void> {
    const made = this.fleet.filter(({ origin }) => origin === 'made');
    const from = Math.floor(this.#random() * made.length);
    for (const declared of [...made.slice(from), ...made.slice(0, from)]) {
      if (await this.#do(act, declared)) return;
    }
  }

  /** Acts until the signal aborts, with pauses of at most this length between two acts. */
  async actUntil(stopped: AbortSignal, longestPauseMs: number): Promise<void> {
    while (!stopped.aborted) {
      await this.act();
      await paused(this.#random() * longestPauseMs);
    }
  }

  /** Returns the deleted resources that still exist. */
  async leaving(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const { name, state } of this.fleet) {
      if (state !== 'leaving') continue;
      if (await this.#cluster.exists(this.#cluster.ours('deployments', name)))
        left.push(`${name} is still there`);
    }
    return left;
  }

  /** Applies deleted resources again, so that everything exists at the end. */
  async restoreAll(): Promise<void> {
    for (const declared of this.fleet) await this.#do('create', declared);
  }

  /** Deletes every existing resource. */
  async deleteAll(): Promise<void> {
    for (const declared of this.fleet) await this.#do('delete', declared);
  }

  /** Returns whether the act was possible. Acts run one at a time for all callers. */
  #do(act: Act, declared: Declared): Promise<boolean> {
    const turn = this.#turn.then(async () => {
      const done = await this.#deeds[act](declared);
      if (done) this.done.push({ atMs: Date.now(), act, name: declared.name });
      return done;
    });
    this.#turn = turn.catch(() => false);
    return turn;
  }

  readonly #deeds: Readonly<Record<Act, (declared: Declared) => Promise<boolean>>> = {
    create: (declared) => this.#create(declared),
    edit: async (declared) => {
      if (declared.state !== 'present') return false;
      for (const value of this.#someOf(VALUES)) declared[value] += 1;
      return this.#apply(declared);
    },
    rotate: async (declared) => {
      if (declared.state !== 'present') return false;
      declared.token += 1;
      noteSecretsOf(declared);
      return this.#cluster.patch(
        this.#cluster.core('secrets', secretName(declared)),
        secretManifestOf(declared),
      );
    },
    'replace-secret': async (declared) => {
      if (declared.state !== 'present') return false;
      declared.token += 1;
      noteSecretsOf(declared);
      await this.#cluster.remove(this.#cluster.core('secrets', secretName(declared)));
      await this.#cluster.create(this.#cluster.core('secrets'), secretManifestOf(declared));
      return true;
    },
    annotate: async (declared) => {
      if (declared.state !== 'present') return false;
      const annotations = { 'example.com/note': String(this.#random()) };
      return this.#cluster.patch(this.#cluster.ours('deployments', declared.name), {
        metadata: { annotations },
      });
    },
    delete: async (declared) => {
      if (declared.state !== 'present') return false;
      declared.state = 'leaving';
      return this.#cluster.remove(this.#cluster.ours('deployments', declared.name));
    },
    'by-hand': (declared) => this.#byHand(declared),
    connection: async () => {
      const requestsPerSecond = oneOf(this.#random, [60, 80, 100]);
      const spec = { rateLimit: { requestsPerSecond, burst: 200, concurrency: 20 } };
      return this.#cluster.patch(this.#cluster.ours('connections', 'default'), { spec });
    },
  };

  async #create(declared: Declared): Promise<boolean> {
    if (declared.state === 'present') return false;
    if (declared.state === 'leaving') {
      if (await this.#cluster.exists(this.#cluster.ours('deployments', declared.name))) return false;
    } else await this.#cluster.create(this.#cluster.core('secrets'), secretManifestOf(declared));
    declared.incarnation += 1;
    for (const value of VALUES) declared[value] += 1;
    declared.editedByHand = false;
    declared.state = 'present';
    noteSecretsOf(declared);
    await this.#cluster.create(this.#cluster.ours('deployments'), manifestOf(declared));
    return true;
  }

  #apply(declared: Declared): Promise<boolean> {
    noteSecretsOf(declared);
    return this.#cluster.patch(this.#cluster.ours('deployments', declared.name), { spec: specOf(declared) });
  }

  /** Edits once per incarnation, since corrections of one path are limited to a few a day. */
  async #byHand(declared: Declared): Promise<boolean> {
    if (declared.state !== 'present' || declared.editedByHand) return false;
    const { deployments } = await this.#service.state();
    const found = deployments.find(({ name }) => name === declared.name);
    // A write that is still running would overwrite the edit and not undo it.
    if (found?.content.sourceConfig['custom_url'] !== wireContent(declared).url) return false;
    declared.editedByHand = true;
    await this.#service.edit(found.id, 'source_config.custom_url', 'https://by-hand.example.com');
    return true;
  }

  #someOf<T>(all: readonly [T, ...T[]]): readonly T[] {
    const some = all.filter(() => this.#random() < 0.4);
    return some.length === 0 ? [oneOf(this.#random, all)] : some;
  }
}

function noteSecretsOf(declared: Declared): void {
  for (const value of Object.values(wireContent(declared).secrets)) noteSecret(value);
}

function paused(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
