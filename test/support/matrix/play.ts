import { killAt } from '../../reconcile/support/crash.ts';
import { AGENT, keyOf, World } from '../../reconcile/support/world.ts';
import {
  type Declared,
  MANAGED,
  type ManagedName,
  SECRET_NAMES,
  SECRET_OBJECT,
  type SecretName,
  specOf,
} from './declared.ts';
import { type Circumstances, connectionUnder, serviceUnder, SLOW_S, specUnder } from './circumstances.ts';
import type { Act, Step } from './story.ts';
import { semanticsOf, type Switches } from './switches.ts';
import { THEIR_SECRET, THEIRS } from './theirs.ts';

/** Deployments that no resource names and that must not change. */
export const NEIGHBOURS = ['neighbour', 'another', 'support-agent-2'] as const;

/** The content of a service before any declaration. */
const FIRST_SOURCE_CONFIG = {
  install_command: THEIRS.install.values[0],
  build_command: 'make theirs',
  resource_spec: {
    memory_mb: THEIRS.memory.values[0],
    service_account_name: THEIRS.account.values[0],
    labels: { team: 'theirs' },
  },
} as const;

/** The conditions of a run: the service, the settings of users, and the budget of writes that may make a revision. */
export interface Setting {
  readonly switches: Switches;
  readonly circumstances: Circumstances;
  /** The budget per hour. */
  readonly perHour: number;
}

/** A running run: the world, and the acts so far. */
export class Play {
  readonly world: World;
  readonly switches: Switches;
  readonly circumstances: Circumstances;
  /** The budget of writes that may make a revision. */
  readonly perHour: number;
  declared: Declared = { fields: {}, cleared: [] };
  readonly secretValues = new Map<SecretName, string>();
  #armed: (() => boolean)[] = [];
  #rotations = 0;
  #editions = 0;
  #texts = 0;
  #slowness = 0;

  constructor({ switches, circumstances, perHour }: Setting, randomSeed: number) {
    this.switches = switches;
    this.circumstances = circumstances;
    this.perHour = perHour;
    const codehost = switches.source === 'codehost';
    const secrets = [{ ...THEIR_SECRET }];
    this.world = new World({
      randomSeed,
      semantics: serviceUnder(semanticsOf(switches), circumstances),
      connection: { list: { pageSize: 2 }, ...connectionUnder(circumstances) },
      deployments: [
        {
          name: AGENT,
          source: switches.source,
          sourceConfig: {
            ...FIRST_SOURCE_CONFIG,
            ...(codehost ? { repo_url: 'https://code.example.com/agent/' } : {}),
          },
          revisionConfig: {
            graph_config_path: THEIRS.graph.values[0],
            ...(codehost ? { repo_ref: 'main' } : { image_uri: 'r.example.com/agent:0' }),
          },
          secrets,
        },
        ...NEIGHBOURS.map((name) => ({
          name,
          sourceConfig: { custom_url: `https://${name}.example.com/` },
          secrets,
        })),
      ],
    });
    for (const name of SECRET_NAMES) this.secretValues.set(name, `first-value-of-${name}`);
    this.#putSecrets();
    this.#apply({});
  }

  /** Plays a story to its end, and drops all planned events that have not occurred. */
  async through(story: readonly Step[], onStep: () => void): Promise<void> {
    for (const { act, thenS } of story) {
      this.#do(act);
      await this.world.pass(thenS);
      if (this.#armed.some((killed) => killed())) this.#revive(() => this.world.start());
      onStep();
    }
    this.world.disarm();
    this.world.service.faults.clear();
    this.world.service.actions.clear();
  }

  #revive(start: () => void): void {
    this.#armed = [];
    this.world.disarm();
    start();
  }

  #do(act: Act): void {
    const { world } = this;
    switch (act.kind) {
      case 'declare': {
        const field = this.#field(act.field);
        const value = MANAGED[field].values[act.value] ?? null;
        const cleared = this.declared.cleared.filter((name) => name !== field);
        return this.#apply({ fields: { ...this.declared.fields, [field]: value }, cleared });
      }
      case 'release':
        return this.#apply({ fields: this.#without(this.#field(act.field)) });
      case 'clear': {
        // To empty all labels would also empty the labels of others.
        const field = act.field === 'labels' ? 'volumes' : this.#field(act.field);
        const cleared = [...new Set([...this.declared.cleared, field])];
        return this.#apply({ fields: this.#without(field), cleared });
      }
      case 'secrets':
        return this.#letSecrets(act.names);
      case 'rotate':
        this.#rotations += 1;
        this.secretValues.set(act.name, `rotated-value-${this.#rotations}-of-${act.name}`);
        return this.#putSecrets();
      case 'edited':
        return this.#edited(this.#field(act.field), act.value);
      case 'edited-theirs': {
        const { wire, values } = THEIRS[act.field];
        return world.editAtService(wire, values[act.value] ?? null);
      }
      case 'emptied':
        return world.editAtService(MANAGED[this.#field(act.field)].wire, null);
      case 'raced': {
        const { wire, values } = THEIRS[act.field];
        const action = {
          kind: 'edit',
          deployment: AGENT,
          path: wire,
          value: values[act.value] ?? null,
        } as const;
        return world.service.actions.add({ match: { operation: 'patch' }, action });
      }
      case 'secret-edited':
        if (!world.kept().content.secrets.some(({ name }) => name === act.name)) return undefined;
        this.#editions += 1;
        return world.editAtService(`secrets.${act.name}`, `value-${this.#editions}-by-hand-of-${act.name}`);
      case 'mistyped':
        return this.#mistype(this.#field(act.field), act.value);
      case 'redeploy':
      case 'reconcile': {
        this.#texts += 1;
        return world.annotate(act.kind === 'redeploy' ? 'redeploy' : 'reconcile-at', `text ${this.#texts}`);
      }
      case 'pause':
        return world.annotate('paused', 'true');
      case 'resume':
        return world.annotate('paused', null);
      case 'secret-removed':
        return world.editAtService(`secrets.${act.name}`, null);
      case 'redeployed':
        return this.#redeployed();
      case 'pushed':
        world.service.act({ kind: 'push', deployment: AGENT, commit: 'c'.repeat(40), build: true });
        return;
      case 'restart':
        return this.#revive(() => world.restart());
      case 'crash':
        this.#armed.push(killAt(world, act.point));
        return;
      case 'fault':
        return world.fault(act.fault, { match: { operation: act.of } });
      case 'nothing':
        return;
    }
  }

  /** Declares by an edit of the spec. Annotations stay unchanged. */
  #apply(change: Partial<Declared>): void {
    this.declared = { ...this.declared, ...change };
    this.#beSlow();
    const { source, ownership: secretsOwnership } = this.switches;
    const rollout = { maxRevisionsPerHour: this.perHour };
    const spec = specOf(this.declared, {
      source,
      secretsOwnership,
      rollout,
      ...specUnder(this.circumstances),
    });
    this.world.apply(spec, AGENT, this.world.store.peek(keyOf(AGENT))?.metadata.annotations);
  }

  /** Slows down the next announcement, or lets it meet another writer. */
  #beSlow(): void {
    const { store } = this.circumstances;
    this.#slowness += 1;
    if (store === 'slow')
      this.world.slowWrites(SLOW_S[this.#slowness % SLOW_S.length] ?? 1, { operation: 'announce' });
    if (store === 'conflicting') this.world.conflicts(2, { operation: 'announce' });
  }

  /** Declares another repository and a value that the service refuses, twice. */
  #mistype(field: ManagedName, value: number): void {
    const { fields } = this.declared;
    const repo = MANAGED.repo.values[(value + 1) % MANAGED.repo.values.length] ?? null;
    const other = field === 'repo' ? 'branch' : field;
    const codehost = this.switches.source === 'codehost';
    const with_ = { ...(codehost ? { repo } : {}), [other]: MANAGED[other].values[value] ?? null };
    this.world.fault({ kind: 'status', status: 422 }, { times: 2 });
    const cleared = this.declared.cleared.filter((name) => !Object.hasOwn(with_, name));
    this.#apply({ fields: { ...fields, ...with_ }, cleared });
  }

  #letSecrets(names: readonly SecretName[] | undefined): void {
    const { secrets: _, ...rest } = this.declared;
    this.declared = rest;
    this.#apply(names === undefined ? {} : { secrets: names });
  }

  #without(field: ManagedName): Declared['fields'] {
    const { [field]: _, ...rest } = this.declared.fields;
    return rest;
  }

  /**
   * Returns the field for the source: images belong to external containers, branches and repositories to code hosts.
   */
  #field(name: ManagedName): ManagedName {
    if (this.switches.source === 'codehost') return name === 'image' ? 'branch' : name;
    return name === 'branch' ? 'image' : name === 'repo' ? 'url' : name;
  }

  #edited(field: ManagedName, value: number): void {
    // A person who edits at the service changes one label and keeps the others.
    if (field === 'labels') {
      const label = MANAGED.labels.values[value]?.tier ?? null;
      return this.world.editAtService('source_config.resource_spec.labels.tier', label);
    }
    const { wire, values } = MANAGED[field];
    this.world.editAtService(wire, values[value] ?? null);
  }

  #redeployed(): void {
    if (this.world.kept().revisions.length < 2) return;
    this.world.service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
  }

  #putSecrets(): void {
    this.world.putSecret(SECRET_OBJECT, Object.fromEntries(this.secretValues));
  }
}

/** Returns the reason of Synced. */
export function endOf({ world }: Play): string {
  return world.condition('Synced')?.split('/')[1] ?? 'none';
}

/**
 * True if the service refused the newest request permanently, whatever else the status says, or if the status still
 * names a refusal after a request whose outcome was unknown.
 */
export function isRefused(play: Play): boolean {
  return play.world.status().lastPatch?.refusal?.reason === 'Rejected' || endOf(play) === 'Rejected';
}
