import type { WireJson } from '../../../src/wire/json.ts';
import { killAt } from '../../reconcile/support/crash.ts';
import { AGENT, World } from '../../reconcile/support/world.ts';
import {
  type Declared,
  MANAGED,
  type ManagedName,
  SECRET_NAMES,
  SECRET_OBJECT,
  type SecretName,
  specOf,
} from './declared.ts';
import type { Act, Step } from './story.ts';
import { semanticsOf, type Switches } from './switches.ts';
import { THEIR_SECRET, THEIRS, type TheirName } from './theirs.ts';

/** Deployments that no resource names: nothing may ever happen to them. */
export const NEIGHBOURS = ['neighbour', 'another', 'support-agent-2'] as const;

/** What a service holds before anybody declares anything. */
const FIRST_SOURCE_CONFIG = {
  install_command: THEIRS.install.values[0],
  build_command: 'make theirs',
  resource_spec: {
    memory_mb: THEIRS.memory.values[0],
    service_account_name: THEIRS.account.values[0],
    labels: { team: 'theirs' },
  },
} as const;

/** A world that notes when its process died. */
class MortalWorld extends World {
  readonly deathsMs: number[] = [];

  override kill(): void {
    this.deathsMs.push(this.clock.now());
    super.kill();
  }
}

/** A run under way: the world, and what whoever plays it did so far. */
export class Play {
  readonly world: MortalWorld;
  readonly switches: Switches;
  /** The budget of writes that may make a revision. */
  readonly perHour: number;
  declared: Declared = { fields: {}, cleared: [] };
  /** What the values that nobody manages should be at the end. */
  readonly theirs = new Map<TheirName, WireJson>();
  /** Values of declared things that were changed where no answer shows it. */
  readonly unseen = new Set<ManagedName | SecretName>();
  /** Whether a list of secrets was ever declared: an exclusive one drops what it leaves out. */
  tookSecrets = false;
  readonly secretValues = new Map<SecretName, string>();
  /** When somebody else changed a field, unless the user declared another value since. */
  readonly editedMs = new Map<TheirName | ManagedName, number>();
  /** When the user edited the spec. */
  readonly editsMs: number[] = [];
  #armed: (() => boolean)[] = [];
  #rotations = 0;

  constructor(
    switches: Switches,
    { perHour, randomSeed }: { readonly perHour: number; readonly randomSeed: number },
  ) {
    this.switches = switches;
    this.perHour = perHour;
    const codehost = switches.source === 'codehost';
    const secrets = [{ ...THEIR_SECRET }];
    this.world = new MortalWorld({
      randomSeed,
      semantics: semanticsOf(switches),
      connection: { list: { pageSize: 2 } },
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
    for (const name of Object.keys(THEIRS) as TheirName[]) this.theirs.set(name, THEIRS[name].values[0]);
    for (const name of SECRET_NAMES) this.secretValues.set(name, `first-value-of-${name}`);
    this.#putSecrets();
    this.#apply({});
  }

  /** Plays a story to its end, and lets go of everything in it that was still to come. */
  async through(story: readonly Step[], onStep: () => void): Promise<void> {
    for (const { act, thenS } of story) {
      this.#do(act);
      await this.world.pass(thenS);
      if (this.#armed.some((killed) => killed())) this.#revive(() => this.world.start());
      onStep();
    }
    this.world.disarm();
    this.world.service.faults.clear();
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
        if (value !== this.declared.fields[field]) this.editedMs.delete(field);
        const cleared = this.declared.cleared.filter((name) => name !== field);
        return this.#apply({ fields: { ...this.declared.fields, [field]: value }, cleared });
      }
      case 'release':
        return this.#apply({ fields: this.#without(this.#field(act.field)) });
      case 'clear': {
        // To empty all labels would ask for what belongs to others too.
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
        const value = values[act.value] ?? null;
        this.#theirsNow(act.field, value);
        return world.editAtService(wire, value);
      }
      case 'secret-removed':
        this.unseen.add(act.name);
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

  #apply(change: Partial<Declared>): void {
    this.declared = { ...this.declared, ...change };
    this.editsMs.push(this.world.clock.now());
    const { source, ownership: secretsOwnership } = this.switches;
    const rollout = { maxRevisionsPerHour: this.perHour };
    this.world.apply(specOf(this.declared, { source, secretsOwnership, rollout }));
  }

  #letSecrets(names: readonly SecretName[] | undefined): void {
    if (names !== undefined) this.tookSecrets = true;
    const { secrets: _, ...rest } = this.declared;
    this.declared = rest;
    this.#apply(names === undefined ? {} : { secrets: names });
  }

  #without(field: ManagedName): Declared['fields'] {
    const { [field]: _, ...rest } = this.declared.fields;
    return rest;
  }

  /** Images belong to external containers, branches to code hosts. */
  #field(name: ManagedName): ManagedName {
    if (this.switches.source === 'codehost') return name === 'image' ? 'branch' : name;
    return name === 'branch' ? 'image' : name;
  }

  #edited(field: ManagedName, value: number): void {
    this.editedMs.set(field, this.world.clock.now());
    // Whoever edits at the service changes one label; the others stay.
    if (field === 'labels') {
      const label = MANAGED.labels.values[value]?.tier ?? null;
      return this.world.editAtService('source_config.resource_spec.labels.tier', label);
    }
    if (field === 'branch') this.#branchMoved();
    const { wire, values } = MANAGED[field];
    this.world.editAtService(wire, values[value] ?? null);
  }

  #redeployed(): void {
    const { service } = this.world;
    if (this.world.kept().revisions.length < 2) return;
    service.act({ kind: 'redeploy', deployment: AGENT, revision: 1 });
    this.#theirsNow('graph', this.world.kept().content.revisionConfig['graph_config_path'] ?? null);
    this.#branchMoved();
  }

  #theirsNow(name: TheirName, value: WireJson): void {
    this.theirs.set(name, value);
    this.editedMs.set(name, this.world.clock.now());
  }

  /** A branch that is shown as a commit shows no other branch either (N36). */
  #branchMoved(): void {
    if (this.switches.normalise === 'ref-to-sha') this.unseen.add('branch');
  }

  #putSecrets(): void {
    this.world.putSecret(SECRET_OBJECT, Object.fromEntries(this.secretValues));
  }
}

/** The reason of Synced. */
export function endOf({ world }: Play): string {
  return world.condition('Synced')?.split('/')[1] ?? 'none';
}

/** True where the newest request was refused for good, whatever else is told. */
export function isRefused({ world }: Play): boolean {
  return world.status().lastPatch?.refusal?.reason === 'Rejected';
}
