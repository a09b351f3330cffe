import { defined } from '../../base/defined.ts';
import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND, type ConnectionResource } from '../../api/connection.ts';
import { DEPLOYMENT_KIND, type DeploymentResource } from '../../api/deployment.ts';
import { GROUP, type Key, keyOf, type ObjectMeta } from '../../api/metadata.ts';
import { metadataProblems } from '../../api/checks/metadata-problems.ts';
import { error, type Problem, warning } from '../../api/problem.ts';
import { validateDocument } from '../../api/checks/validate-document.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { type DataManifest, decodeData } from './data-manifest.ts';
import type { Finding, Place, YamlDocument } from '../yaml/read-yaml.ts';
import { LONGEST_PATH } from '../yaml/places.ts';

/** Every kind of object that a folder can declare. */
export type ManifestObject = DeploymentResource | ConnectionResource | DataManifest;

/** An object as a manifest declares it, with its place. Its metadata holds only the fields that users write. */
export interface Declared extends Place {
  readonly key: Key;
  /** The prefix of the object's paths in its document, such as `items[2].`, or '' for the document itself. */
  readonly prefix: string;
  readonly object: ManifestObject;
}

/** The declared objects and the findings of one document. */
export interface ReadManifest {
  readonly declared: readonly Declared[];
  readonly findings: readonly Finding[];
  /** The `apiVersion kind` of each ignored object in the document. */
  readonly ignored: readonly string[];
}

/** The default namespace of documents that name none. */
const DEFAULT_NAMESPACE = 'default';

/**
 * Checks one document and returns the objects that this project uses. A document with an error declares nothing. A
 * `List` declares each of its items.
 */
export function readManifest(document: YamlDocument, namespace = DEFAULT_NAMESPACE): ReadManifest {
  return readPart({ value: document.value, prefix: '', document, namespace });
}

/** A whole document, or an item of a List in it. */
interface Part {
  readonly value: Json;
  /** The prefix of the paths of this part, for example `items[2].`. */
  readonly prefix: string;
  readonly document: YamlDocument;
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

function readPart(part: Part): ReadManifest {
  const { value } = part;
  const { apiVersion, kind } = isJsonObject(value) ? value : {};
  if (isJsonObject(value) && claimsToBeOurs(apiVersion, kind)) return readOurs(part, value);
  if (!isJsonObject(value) || typeof apiVersion !== 'string' || typeof kind !== 'string') {
    const problem = warning('', 'this is not a manifest and is ignored', 'apiVersion and kind');
    return { declared: [], findings: [finding(part, problem)], ignored: [] };
  }
  if (apiVersion === 'v1' && kind === 'List') return readList(part, value);
  if (apiVersion === 'v1' && (kind === 'Secret' || kind === 'ConfigMap')) return readData(part, value, kind);
  return { declared: [], findings: [], ignored: [`${apiVersion} ${kind}`] };
}

/** True for our kinds, and for an object that was probably meant to be one, so that it is not silently ignored. */
function claimsToBeOurs(apiVersion: Json | undefined, kind: Json | undefined): boolean {
  if (typeof apiVersion === 'string') return apiVersion === GROUP || apiVersion.startsWith(`${GROUP}/`);
  return kind === DEPLOYMENT_KIND || kind === CONNECTION_KIND || kind === CLUSTER_CONNECTION_KIND;
}

function readList(part: Part, list: JsonObject): ReadManifest {
  const items = Array.isArray(list['items']) ? (list['items'] as readonly Json[]) : [];
  const parts = items.map((value, index) =>
    readPart({ ...part, value, prefix: `${part.prefix}items[${index}].` }),
  );
  return {
    declared: parts.flatMap((read) => read.declared),
    findings: [...warningsOf(part), ...parts.flatMap((read) => read.findings)],
    ignored: parts.flatMap((read) => read.ignored),
  };
}

function readOurs(part: Part, value: JsonObject): ReadManifest {
  const problems = validateDocument(value);
  const findings = findingsOf(part, problems);
  if (problems.some(({ severity }) => severity === 'error')) return { declared: [], findings, ignored: [] };
  if (!isOurs(value)) {
    const generated = error('metadata.name', 'is missing', 'a fixed name: nothing generates one in a folder');
    return { declared: [], findings: [...findings, finding(part, generated)], ignored: [] };
  }
  const clusterScoped = value.kind === CLUSTER_CONNECTION_KIND;
  const { apiVersion, spec } = value;
  const metadata = declaredMetadata(value.metadata, clusterScoped ? undefined : part.namespace);
  // The cast combines the kind and the spec, which were checked together.
  const object = { apiVersion, kind: value.kind, metadata, spec } as DeploymentResource | ConnectionResource;
  return { declared: [declaredAt(part, object)], findings, ignored: [] };
}

function readData(part: Part, value: JsonObject, kind: DataManifest['kind']): ReadManifest {
  const { data, problems } = decodeData(kind, value);
  const all = [...metadataProblems(value['metadata']), ...problems];
  const findings = findingsOf(part, all);
  const metadata = value['metadata'];
  if (all.length > 0 || !isObjectMeta(metadata)) return { declared: [], findings, ignored: [] };
  const object: DataManifest = { kind, metadata: declaredMetadata(metadata, part.namespace), data };
  return { declared: [declaredAt(part, object)], findings, ignored: [] };
}

/** True for a document of our kinds. The caller has checked it and found no error. */
function isOurs(value: unknown): value is DeploymentResource | ConnectionResource {
  return isJsonObject(value) && isObjectMeta(value['metadata']) && isJsonObject(value['spec']);
}

function isObjectMeta(value: unknown): value is ObjectMeta {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

/** Returns the metadata that users write. The store makes the uid, the versions and the rest. */
function declaredMetadata(metadata: ObjectMeta, assumedNamespace: string | undefined): ObjectMeta {
  const { name, labels, annotations } = metadata;
  // Without an assumed namespace, the kind has no namespace.
  const namespace = assumedNamespace === undefined ? undefined : (metadata.namespace ?? assumedNamespace);
  return { name, ...defined({ namespace, labels, annotations }) };
}

function declaredAt(part: Part, object: ManifestObject): Declared {
  const { prefix, document } = part;
  return { key: keyOf(object), prefix, object, ...document.locate(`${prefix}metadata.name`) };
}

/** Returns the findings of a part. Omits a warning about its text if the same value has an error. */
function findingsOf(part: Part, problems: readonly Problem[]): readonly Finding[] {
  const findings = theFirst(problems).map((problem) => finding(part, problem));
  const wrong = new Set(findings.filter(({ severity }) => severity === 'error').map(({ path }) => path));
  return [...warningsOf(part).filter(({ path }) => !wrong.has(path)), ...findings];
}

/** The most errors, and the most warnings, of one document. Finding the place of a path among many keys is slow. */
const MOST_TOLD = 201;

function theFirst(problems: readonly Problem[]): readonly Problem[] {
  const of = (severity: Problem['severity']): readonly Problem[] =>
    problems.filter((problem) => problem.severity === severity).slice(0, MOST_TOLD);
  return [...of('error'), ...of('warning')];
}

/** Returns the warnings about the text of a document, once per document. Only kinds that this project uses get them. */
function warningsOf(part: Part): readonly Finding[] {
  return part.prefix === '' ? part.document.warnings : [];
}

function finding(part: Part, problem: Problem): Finding {
  const path = `${part.prefix}${problem.path}`.replace(/\.$/, '');
  return { ...part.document.locate(path), ...problem, path: path.slice(0, LONGEST_PATH) };
}
