import { defined } from '../../base/defined.ts';
import { DEPLOYMENT_KIND } from '../../api/deployment.ts';
import { carriesCredential } from '../../api/credential.ts';
import { API_VERSION } from '../../api/metadata.ts';
import { misfitFor } from '../../api/warnings/source-warnings.ts';
import { validateDocument } from '../../api/checks/validate-document.ts';
import { isEmpty } from '../../model/desired/canonical-text.ts';
import type { ConnectionName } from '../../model/connection/connection.ts';
import { type Field, FIELDS, REPO_REF_PATH } from '../../model/desired/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { ObservedDeployment, ObservedSecret } from '../../model/external/observation.ts';
import { isCommitOf, shownOf, withoutNulls } from '../../model/external/shown.ts';
import { hasControl } from '../../api/control-names.ts';

/** A shown value that the manifest leaves unchanged at the service. */
export interface LeftOut {
  /** Below spec, as in plans. */
  readonly path: string;
  readonly why: string;
}

/** A deployment of the service as a manifest; applying the manifest changes nothing. */
export interface Adopted {
  readonly kind: 'adopted';
  readonly name: string;
  readonly namespace?: string;
  /** The manifest, in the order in which a person would write it. */
  readonly document: JsonObject;
  readonly leftOut: readonly LeftOut[];
  /** Names of secrets that the manifest leaves alone. */
  readonly secretNames: readonly string[];
  /** The Secret from which the manifest takes the values of secrets, if it names any. */
  readonly skeleton?: SecretSkeleton;
}

/** A deployment that no manifest can describe. */
export interface NotAdoptable {
  readonly kind: 'not adoptable';
  readonly observed: ObservedDeployment;
  readonly why: string;
}

/** Options for making a manifest. */
export interface AdoptionOptions {
  /** The name in Kubernetes. */
  readonly name: string;
  /** The namespace; if absent, the manifest names none. */
  readonly namespace?: string | undefined;
  readonly connection: Pick<ConnectionName, 'kind' | 'name'>;
  /** The source, if the service does not show one (the sample of its list has none, 2.3). */
  readonly source?: string | undefined;
  /** True if another deployment has the same name, so that only the id identifies it. */
  readonly ambiguous: boolean;
  /** True to name secrets, by references to a Secret that a person must fill in. */
  readonly withSecrets: boolean;
}

/** The objection to a value that no person would write. */
const SET_BY_SERVICE = 'the service may have set it itself';

/**
 * Makes the manifest of a deployment. It contains the shown values of the fields that its source has, except values
 * that are empty, a default, or look like a credential. It also omits values that the schema does not accept; they stay
 * unchanged at the service.
 */
export function adopted(observed: ObservedDeployment, options: AdoptionOptions): Adopted | NotAdoptable {
  const source = observed.source ?? options.source;
  if (source === undefined) return { kind: 'not adoptable', observed, why: 'its source is not shown' };
  const secrets = adoptedSecrets(observed.secrets ?? [], options);
  const leftOut = new Map<string, LeftOut>();
  const isShown = (field: Field): boolean => {
    const shown = withoutNulls(shownOf(field, observed) ?? null);
    return !isEmpty(shown) && shown !== '';
  };
  let fields = without(FIELDS.filter(isShown), leftOut, (field) => notToBeWritten(field, observed, source));
  for (;;) {
    const spec = { ...specOf(observed, fields, { ...options, source }), ...secrets.spec };
    const document = { ...headOf(options), spec };
    const refused = refusedIn(document);
    const [first] = refused;
    const kept = without(fields, leftOut, ({ path }) => refused.find((each) => isAt(each.path, path)));
    if (first === undefined) {
      const { name, namespace } = options;
      const { names: secretNames, skeleton } = secrets;
      const adoption = {
        kind: 'adopted',
        name,
        document,
        leftOut: [...leftOut.values()],
        secretNames,
      } as const;
      return { ...adoption, ...defined({ namespace, skeleton }) };
    }
    if (kept.length === fields.length) {
      return { kind: 'not adoptable', observed, why: `spec.${first.path} ${first.why}` };
    }
    fields = kept;
  }
}

/** Removes fields with an objection, and records the objection. */
function without(
  fields: readonly Field[],
  leftOut: Map<string, LeftOut>,
  objection: (field: Field) => LeftOut | undefined,
): Field[] {
  return fields.filter((field) => {
    const found = objection(field);
    if (found !== undefined) leftOut.set(found.path, found);
    return found === undefined;
  });
}

function notToBeWritten(field: Field, observed: ObservedDeployment, source: string): LeftOut | undefined {
  const { path } = field;
  const misfit = misfitFor(path, source);
  if (misfit !== undefined) return { path: misfit.path, why: `is not meant for source ${source}` };
  const shown = shownOf(field, observed);
  if (path === REPO_REF_PATH && isCommitOf(shown, observed)) {
    return { path, why: 'is shown as the commit that it stood for' };
  }
  if (path === 'sourceConfig.customURL' && source === 'codehost') return { path, why: SET_BY_SERVICE };
  return carriesCredential(shown) ? { path, why: 'looks like it carries a credential' } : undefined;
}

function headOf({ name, namespace }: AdoptionOptions): JsonObject {
  const metadata = { name, ...defined({ namespace }) };
  return { apiVersion: API_VERSION, kind: DEPLOYMENT_KIND, metadata };
}

function specOf(
  observed: ObservedDeployment,
  fields: readonly Field[],
  { connection, ambiguous, source }: AdoptionOptions & { readonly source: string },
): JsonObject {
  const block = (name: Field['block']): JsonObject =>
    Object.fromEntries(
      fields
        .filter((field) => field.block === name)
        .map((field) => [field.name, withoutNulls(shownOf(field, observed) as Json)]),
    );
  const sourceConfig = { ...block('sourceConfig'), ...objectOf('resourceSpec', block('resourceSpec')) };
  return {
    ...connectionRef(connection),
    deploymentRef:
      ambiguous || !isReferenceName(observed.name) ? { id: observed.id } : { name: observed.name },
    source,
    ...objectOf('sourceConfig', sourceConfig),
    ...objectOf('sourceRevisionConfig', block('sourceRevisionConfig')),
    ...block('secretReferences'),
  };
}

/** True if the schema accepts the length of the name. */
function isReferenceName(name: string): boolean {
  return name !== '' && Array.from(name).length <= 253;
}

/** Returns the reference to the connection. A Connection called default needs no reference. */
function connectionRef({ kind, name }: AdoptionOptions['connection']): JsonObject {
  if (kind === 'ClusterConnection') return { connectionRef: { kind, name } };
  return name === 'default' ? {} : { connectionRef: { name } };
}

function objectOf(name: string, object: JsonObject): JsonObject {
  return Object.keys(object).length === 0 ? {} : { [name]: object };
}

/** Returns the values that an API server would refuse, by their path below spec. */
function refusedIn(document: JsonObject): readonly LeftOut[] {
  return validateDocument(document)
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => ({ path: path.replace(/^spec\./, ''), why: message }));
}

function isAt(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** The Kubernetes Secret that a manifest takes values from, without any value. */
export interface SecretSkeleton {
  readonly name: string;
  /** The keys, in the order of the secrets' names. */
  readonly keys: readonly string[];
}

/** The secrets of a deployment as a manifest declares them. */
export interface AdoptedSecrets {
  /** The members of the spec about secrets. */
  readonly spec: JsonObject;
  /** The names of secrets that the manifest leaves alone. */
  readonly names: readonly string[];
  readonly skeleton?: SecretSkeleton;
}

/** The limit of the resource's schema for the number of entries and for the length of a name. */
const MOST_SECRETS = 256;
const LONGEST_NAME = 253;

/**
 * Returns the names of secrets for a comment or, on request, as references to a Secret that a person must fill in.
 * Omits a list that cannot be written whole: the operator would hold back every secret of an incomplete list.
 */
function adoptedSecrets(
  observed: readonly ObservedSecret[],
  { name, withSecrets }: { readonly name: string; readonly withSecrets: boolean },
): AdoptedSecrets {
  const names = [...new Set(observed.map((secret) => secret.name))].toSorted();
  const writable = names.length <= MOST_SECRETS && names.every((each) => isWritable(each));
  if (!withSecrets || !writable || names.length === 0) return { spec: {}, names };
  const secretName = `${name}-secrets`;
  const keys = keysFor(names);
  const secrets = names.map((each, index) => ({
    name: each,
    valueFrom: { secretKeyRef: { name: secretName, key: keys[index] ?? each } },
  }));
  return { spec: { secrets }, names: [], skeleton: { name: secretName, keys } };
}

function isWritable(name: string): boolean {
  return name !== '' && Array.from(name).length <= LONGEST_NAME && !hasControl(name);
}

/** Returns a valid key of a Secret for each name: the name itself if it is valid. */
function keysFor(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  return names.map((name) => {
    const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^\.(?:\.|$)/, '_');
    if (plain === name) return name;
    let key = plain;
    for (let count = 2; taken.has(key); count += 1) key = `${plain.slice(0, LONGEST_NAME - 4)}-${count}`;
    taken.add(key);
    return key;
  });
}
