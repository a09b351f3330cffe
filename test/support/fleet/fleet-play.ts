import type { ConnectionSpec } from '../../../src/api/connection.ts';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { ActionError } from '../../../src/simulator/faults/act.ts';
import { keyOf, World } from '../../reconcile/support/world.ts';
import { NO_RATE_LIMIT } from '../doubles/in-process-exchange.ts';
import {
  type FleetAct,
  type FleetSetting,
  type FleetStep,
  type Member,
  MEMBERS,
  type Team,
  TEAMS,
} from './fleet-story.ts';

const TENANTS = {
  'team-a': 'aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa',
  'team-b': 'bbbbbbbb-2222-4222-8222-bbbbbbbbbbbb',
  others: 'cccccccc-3333-4333-8333-cccccccccccc',
  empty: 'dddddddd-4444-4444-8444-dddddddddddd',
} as const;

/** The credential of each team; its tenant can change. */
const CREDENTIALS = { 'team-a': 'credential-a', 'team-b': 'credential-b' } as const;

const RATES = {
  unlimited: NO_RATE_LIMIT,
  low: { requestsPerSecond: 0.5, burst: 2, concurrency: 4 },
  scarce: { requestsPerSecond: 0.1, burst: 1, concurrency: 4 },
} as const;

const IMAGES = ['r.example.com/agent:1', 'r.example.com/agent:2', 'r.example.com/agent:3'] as const;
const CPUS = [2, 3, 4] as const;
const MEMORIES = [1024, 2048, 4096] as const;

/** Members whose deployment is deleted with the resource, and whose lost deployment is created again. */
const DELETED_WITH: readonly Member[] = ['a2', 'b2'];
const MADE_AGAIN: readonly Member[] = ['a3', 'b3'];

/** A running fleet of two teams. */
export class FleetPlay {
  readonly world: World;
  readonly #setting: FleetSetting;
  #moves = 0;

  constructor(setting: FleetSetting, randomSeed: number) {
    this.#setting = setting;
    this.world = new World({
      randomSeed,
      started: false,
      semantics: {
        auth: { kind: 'tenant-header', name: 'x-tenant', tenants: this.#tenants({}) },
        listLag: { seconds: setting.listLag === 'none' ? 0 : 20 },
        duplicateNames: setting.duplicateNames,
        secretsEcho: setting.secrets,
        appearsSeconds: setting.appearsSeconds,
        deletion: setting.deletion,
      },
      connection: this.#connection('team-a'),
      deployments: [
        ...MEMBERS.map((name) => ({
          name,
          tenantID: TENANTS[teamOf(name)],
          sourceConfig: { resource_spec: { cpu: 1, memory_mb: 512 }, install_command: 'npm ci' },
          revisionConfig: { image_uri: 'r.example.com/agent:0' },
        })),
        ...['c1', 'c2', 'c3'].map((name) => ({ name, tenantID: TENANTS.others })),
      ],
    });
    this.world.connectCluster({ ...this.#connection('team-b'), namespaceSelector: {} });
    this.world.start();
    for (const name of MEMBERS) this.#declare(name, undefined);
  }

  /** Plays a story to its end. */
  async through(story: readonly FleetStep[]): Promise<void> {
    for (const { act, thenS } of story) {
      try {
        this.#do(act);
      } catch (error) {
        // The act has no target any more.
        if (!(error instanceof ActionError)) throw error;
      }
      await this.world.pass(thenS);
    }
    this.world.service.faults.clear();
  }

  #do(act: FleetAct): void {
    const { world } = this;
    switch (act.kind) {
      case 'declare':
        return this.#declare(act.who, act.value);
      case 'declare-all':
        for (const name of MEMBERS) this.#declare(name, act.value);
        return;
      case 'edited-theirs':
        return world.editAtService(
          'source_config.resource_spec.memory_mb',
          MEMORIES[act.value] ?? 0,
          act.who,
        );
      case 'edited-all-theirs':
        for (const name of MEMBERS) {
          if (world.service.deployment(name) === undefined) continue;
          world.editAtService('source_config.resource_spec.memory_mb', MEMORIES[act.value] ?? 0, name);
        }
        return;
      case 'edited':
        return world.editAtService('source_config.resource_spec.cpu', CPUS[act.value] ?? 0, act.who);
      case 'create':
        return world.apply(
          {
            deploymentRef: { name: act.name },
            creation: { policy: 'IfMissing' },
            sourceRevisionConfig: { imageURI: IMAGES[0] },
          },
          placeOf(act.team, act.resource),
        );
      case 'second':
        return world.apply(
          { deploymentRef: { name: act.who }, sourceConfig: { resourceSpec: { cpu: 7 + act.value } } },
          placeOf(teamOf(act.who), `second-of-${act.who}`),
        );
      case 'deleted':
        return void world.service.act({ kind: 'delete', deployment: act.who });
      case 'deleted-most':
        for (const name of TEAMS[act.team].slice(1)) {
          if (world.service.deployment(name) !== undefined)
            world.service.act({ kind: 'delete', deployment: name });
        }
        return;
      case 'remove':
        return world.store.remove(keyOf(placeOf(teamOf(act.who), act.who)));
      case 'tenant': {
        const tenants = this.#tenants({ [act.team]: act.empty ? TENANTS.empty : TENANTS.others });
        const semantics = { auth: { kind: 'tenant-header', name: 'x-tenant', tenants } } as const;
        return void world.service.act({ kind: 'switch', semantics, seconds: act.seconds });
      }
      case 'halved':
        return world.become({ listShows: 'half' }, { seconds: act.seconds });
      case 'unreadable': {
        const deployment = world.service.deployment(act.who)?.id;
        if (deployment === undefined) return undefined;
        return world.become({ listItem: 'big-integer' }, { deployment, seconds: act.seconds });
      }
      case 'address':
        this.#moves += 1;
        return this.#connect(act.team);
      case 'pause': {
        const name = placeOf(teamOf(act.who), act.who);
        if (world.store.peek(keyOf(name)) !== undefined) world.annotate('paused', 'true', name);
        return;
      }
      case 'restart':
        return world.restart();
      case 'fault':
        return world.fault(act.fault, { match: { operation: act.of } });
    }
  }

  #declare(name: Member, value: number | undefined): void {
    const place = placeOf(teamOf(name), name);
    const at = value === undefined ? undefined : value;
    const spec: Partial<DeploymentSpec> = {
      deploymentRef: { name },
      sourceConfig: { resourceSpec: { cpu: at === undefined ? 1 : (CPUS[at] ?? 1) } },
      sourceRevisionConfig: { imageURI: at === undefined ? 'r.example.com/agent:0' : (IMAGES[at] ?? '') },
      ...(DELETED_WITH.includes(name) ? { deletionPolicy: 'Delete' } : {}),
      ...(MADE_AGAIN.includes(name) ? { creation: { policy: 'IfMissing', recreate: true } } : {}),
    };
    this.world.apply(spec, place);
  }

  #tenants(changed: Partial<Record<Team, string>>): Readonly<Record<string, string>> {
    const teams = Object.keys(CREDENTIALS) as Team[];
    return Object.fromEntries(teams.map((team) => [CREDENTIALS[team], changed[team] ?? TENANTS[team]]));
  }

  #connect(team: Team): void {
    const spec = this.#connection(team);
    if (team === 'team-a') this.world.connect(spec);
    else this.world.connectCluster({ ...spec, namespaceSelector: {} });
  }

  #connection(team: Team): Pick<ConnectionSpec, 'baseURL' | 'headers' | 'list' | 'rateLimit'> {
    return {
      baseURL: `https://dms${this.#moves}.example.com/api`,
      headers: [{ name: 'x-tenant', value: CREDENTIALS[team] }],
      list: { pageSize: 2 },
      rateLimit: RATES[this.#setting.rate],
    };
  }
}

function teamOf(name: Member): Team {
  return name.startsWith('a') ? 'team-a' : 'team-b';
}

function placeOf(team: Team, name: string): string {
  return team === 'team-a' ? name : `${team}/${name}`;
}
