import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, seededRandom } from '../chance.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { connectionManifest } from '../resources/connection-manifest.ts';
import { noteSecret, startWatching } from '../leaks/told.ts';
import { type Act, Actors } from './actors.ts';
import { type Announcement, followAnnouncements } from './judging/announcement-log.ts';
import { Cluster } from './cluster.ts';
import { adoptedSeed, type Declared, undeclared } from './declared.ts';
import type { MakeControllers } from './controllers.ts';
import { followLeases } from './judging/lease-log.ts';
import type { Replica } from './replica.ts';
import { ServiceProcess } from './service-process.ts';
import type { LeaseChange } from './judging/writers.ts';

/** Options of a harness. */
export interface HarnessOptions {
  readonly plane: ControlPlane;
  /** The program of a bundle: the program of users, which also starts faster than the source. */
  readonly program: string;
  readonly controllers: MakeControllers;
  /** The seed of all random decisions. */
  readonly seed: number;
  /** Number of resources, half of them for deployments that already exist. */
  readonly resources: number;
  readonly acts: readonly [Act, ...Act[]];
}

/** A real API server behind proxies, a simulated service and controllers as processes, and people who edit. */
export interface Harness {
  readonly cluster: Cluster;
  readonly service: ServiceProcess;
  readonly replicas: readonly Replica[];
  readonly actors: Actors;
  /** Every change of a Lease so far; empty without leader election. */
  readonly leases: readonly LeaseChange[];
  /**
   * Every announcement of a write so far. Empty if the service shows secrets, because then announcements prove nothing
   * more.
   */
  readonly announcements: readonly Announcement[];
  /** Random numbers for all other decisions. */
  readonly random: Random;
  /** Whether the service masks secrets: for every second seed. */
  readonly masked: boolean;
  end(): Promise<void>;
}

/** Starts everything except the controllers. The caller must call `end`. */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const { plane, program, seed, resources } = options;
  startWatching();
  const folder = await mkdtemp(join(tmpdir(), 'dms-operator-chaos-'));
  const fleet = Array.from({ length: resources }, (_, at) =>
    undeclared(`agent-${at}`, at % 2 === 0 ? 'made' : 'adopted'),
  );
  const masked = seed % 2 === 1;
  const service = await ServiceProcess.start(program, folder, serviceSeed(fleet, masked));
  const cluster = new Cluster(plane, await plane.createNamespace('chaos'));
  const { leaseNamespace, replicas } = await options.controllers(cluster);
  await cluster.create(
    cluster.ours('connections'),
    JSON.parse(connectionManifest(service.url, { requestTimeoutSeconds: 2 })) as object,
  );
  const random = seededRandom(seed);
  const ending = new AbortController();
  const leases: LeaseChange[] = [];
  const announcements: Announcement[] = [];
  const following = Promise.all([
    followLeases(cluster, leaseNamespace, leases, ending.signal),
    ...(masked ? [followAnnouncements(cluster, announcements, ending.signal)] : []),
  ]);
  // The error is reported at the end, after everything else has ended.
  following.catch(() => undefined);
  const actors = new Actors({ fleet, cluster, service, random: seededRandom(seed + 1), acts: options.acts });
  return {
    cluster,
    service,
    replicas,
    actors,
    leases,
    announcements,
    random,
    masked,
    async end() {
      ending.abort();
      for (const one of replicas) await one.stop();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
      await following;
    },
  };
}

function serviceSeed(
  fleet: readonly Declared[],
  masked: boolean,
): Parameters<typeof ServiceProcess.start>[2] {
  const deployments = fleet.filter(({ origin }) => origin === 'adopted').map(({ name }) => adoptedSeed(name));
  noteSecret('a-secret-put-there-by-hand');
  return {
    // The service permits two deployments of one name, so that the run notices a wrong second one. A list that lags
    // behind the writes tempts a restarted process to write again.
    semantics: [
      ...['creation:available', 'deletion:available', 'names:allowed', 'rollout:instant', 'lag:4s'],
      masked ? 'secrets:stars' : 'secrets:plain',
    ].join(','),
    deployments,
  };
}
