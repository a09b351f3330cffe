import type { DeploymentResource } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import type { EditResult } from '../../directory/manifests/annotation-edit.ts';
import { editManifests } from '../../directory/manifests/edit-manifests.ts';
import type { DeclaredInFile, ReadStdin } from '../../directory/manifests/manifest-files.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { parseLabelSelector } from '../../model/connection/parse-label-selector.ts';
import { selects } from '../../model/connection/namespace-selector.ts';
import { inOneLine } from '../../base/text-for-people.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { systemClock } from '../../runtime/process/system-clock.ts';
import { type DeclarationEnvironment, type Declarations, readDeclarations } from './declarations.ts';
import { type Annotated, type Deployments, inOrder, type Selection, type ToAnnotate } from './deployments.ts';

/** The places of the manifests and of the state file. */
export interface ManifestPlaces {
  /** The paths of manifests: folders, files or, for `-`, standard input. */
  readonly paths: readonly string[];
  readonly state: string | undefined;
}

/**
 * Returns the resources of manifests with their status from the state file. Throws one line if the state file is
 * damaged, or if nothing is declared.
 */
export async function manifestDeployments(
  places: ManifestPlaces,
  readStdin: ReadStdin,
  signal: AbortSignal,
): Promise<Deployments> {
  const environment = { clock: systemClock, readStdin };
  const found = await readDeclarations(places, environment, signal);
  if (found.declared.size === 0 && found.problems.length === 0) {
    throw new ExpectedError(`${places.paths.join(' ')}: there are no manifests of dms-operator here`);
  }
  return new ManifestDeployments(found, places, environment);
}

/** How long a read stays valid: shorter than the interval at which commands read resources again. */
const FRESH_MS = 200;

class ManifestDeployments implements Deployments {
  readonly clock: Clock;
  readonly namespace = undefined;
  readonly #declarations: Declarations;
  readonly #places: ManifestPlaces;
  readonly #environment: DeclarationEnvironment;
  #last: { readonly atMs: number; readonly byKey: ReadonlyMap<string, DeploymentResource> } | undefined;

  constructor(declarations: Declarations, places: ManifestPlaces, environment: DeclarationEnvironment) {
    this.#declarations = declarations;
    this.#places = places;
    this.#environment = environment;
    this.clock = environment.clock;
  }

  get problems() {
    return this.#declarations.problems;
  }

  async find(selection: Selection): Promise<readonly DeploymentResource[]> {
    const { namespace = '' } = selection;
    const inside = this.#declarations.deployments.filter(
      ({ metadata }) => namespace === '' || metadata.namespace === namespace,
    );
    if (selection.kind === 'every') return inOrder(inside.filter(labelled(selection.labels)));
    return inOrder(selection.names.map((name) => theOne(inside, name)));
  }

  async again(resource: DeploymentResource, signal: AbortSignal): Promise<DeploymentResource | undefined> {
    const found = await this.#look(signal);
    return found.get(keyText(keyOf(resource)));
  }

  /** Reads the folder; requests in quick succession share a read. */
  async #look(signal: AbortSignal): Promise<ReadonlyMap<string, DeploymentResource>> {
    const nowMs = this.clock.now();
    if (this.#last !== undefined && nowMs - this.#last.atMs < FRESH_MS) return this.#last.byKey;
    const { deployments } = await readDeclarations(this.#places, this.#environment, signal);
    const byKey = new Map(deployments.map((resource) => [keyText(keyOf(resource)), resource]));
    this.#last = { atMs: this.clock.now(), byKey };
    return byKey;
  }

  /** Edits each file once, whatever the number of its selected resources. */
  async *annotate(wanted: readonly ToAnnotate[]): AsyncGenerator<Annotated, undefined> {
    const byFile = Map.groupBy(wanted, ({ resource }) => this.#placeOf(resource)?.file ?? '');
    const results = new Map<ToAnnotate, EditResult>();
    for (const [file, asked] of byFile) {
      const edits = asked.map(({ resource, change }) => ({
        ...{ key: keyOf(resource), change },
        object: this.#placeOf(resource)?.object ?? resource,
      }));
      const edited = await editManifests(file, edits);
      for (const [at, one] of asked.entries()) {
        const result = edited[at];
        if (result !== undefined) results.set(one, result);
      }
    }
    for (const asked of wanted) yield this.#annotated(asked, results.get(asked));
  }

  #annotated(asked: ToAnnotate, result: EditResult | undefined): Annotated {
    const { file = '', line = 0 } = this.#placeOf(asked.resource) ?? {};
    if (result?.kind === 'edited') return { kind: 'done', asked, edited: { file, line: result.line } };
    const { name, value } = asked.change;
    const what =
      value === null
        ? `remove from metadata.annotations: ${name}`
        : `add to metadata.annotations: ${name}: ${JSON.stringify(value)}`;
    const key = keyText(keyOf(asked.resource));
    const why = result?.why ?? 'it is in no manifest here';
    return {
      kind: 'by hand',
      asked,
      what: inOneLine(`${file}:${line}: ${key}: not edited: ${why}; ${what}`),
    };
  }

  #placeOf(resource: DeploymentResource): DeclaredInFile | undefined {
    return this.#declarations.declared.get(keyText(keyOf(resource)));
  }

  async close(): Promise<void> {
    await this.#declarations.close();
  }
}

function theOne(resources: readonly DeploymentResource[], name: string): DeploymentResource {
  const [found, other] = resources.filter(({ metadata }) => metadata.name === name);
  if (found === undefined)
    throw new ExpectedError(`deployments.dms-operator.dev "${name}" is in no manifest here`);
  if (other === undefined) return found;
  throw new ExpectedError(
    `deployments.dms-operator.dev "${name}" is in several namespaces; say which with --namespace`,
  );
}

function labelled(labels: string | undefined): (resource: DeploymentResource) => boolean {
  const selector = labels === undefined ? {} : parseLabelSelector(labels);
  return ({ metadata }) => selects(selector, { labels: metadata.labels ?? {}, complete: true });
}
