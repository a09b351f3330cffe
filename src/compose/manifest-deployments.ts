import type { DeploymentResource } from '../api/deployment.ts';
import { keyOf, keyText } from '../api/metadata.ts';
import type { ReadStdin } from '../directory/manifest-files.ts';
import { ExpectedError } from '../model/expected-error.ts';
import { parseLabelSelector } from '../model/label-selector.ts';
import { selects } from '../model/namespace-selector.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { type Declarations, readDeclarations } from './declarations.ts';
import {
  type AnnotationChange,
  type Annotated,
  type Deployments,
  inOrder,
  type Selection,
} from './deployments.ts';

/** Where manifests are, and what is remembered of them. */
export interface ManifestPlaces {
  /** Folders, files or, for `-`, standard input. */
  readonly paths: readonly string[];
  readonly state: string | undefined;
}

/** The resources of manifests with the status that their state file remembers. Throws one line where it is damaged, and where nothing is declared. */
export async function manifestDeployments(
  places: ManifestPlaces,
  readStdin: ReadStdin,
  signal: AbortSignal,
): Promise<Deployments> {
  const clock = systemClock;
  const found = await readDeclarations(places, { clock, readStdin }, signal);
  if (found.declared.size === 0 && found.problems.length === 0) {
    throw new ExpectedError(`${places.paths.join(' ')}: there are no manifests of dms-operator here`);
  }
  return new ManifestDeployments(found, clock);
}

class ManifestDeployments implements Deployments {
  readonly clock: Clock;
  readonly #declarations: Declarations;

  constructor(declarations: Declarations, clock: Clock) {
    this.#declarations = declarations;
    this.clock = clock;
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

  async again(resource: DeploymentResource): Promise<DeploymentResource> {
    return resource;
  }

  /** A file is its author's, and whoever deploys from it would undo what stands elsewhere: the line to write is told. */
  async annotate(resource: DeploymentResource, { name, value }: AnnotationChange): Promise<Annotated> {
    const place = this.#declarations.declared.get(keyText(keyOf(resource)));
    const where = place === undefined ? 'the manifest' : `${place.file}:${place.line}`;
    const what =
      value === null
        ? `remove from metadata.annotations: ${name}`
        : `add to metadata.annotations: ${name}: ${JSON.stringify(value)}`;
    return { kind: 'by hand', what: `${where}: ${keyText(keyOf(resource))}: ${what}` };
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
