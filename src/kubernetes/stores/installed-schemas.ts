import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { ApiError } from '../client/api-error.ts';
import type { Transport } from '../client/exchange.ts';
import type { FieldNames } from '../../api/field-names.ts';
import { FIELD_NAMES } from '../../api/generated/field-names.ts';
import { GROUP, VERSION } from '../../api/metadata.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

/**
 * Differences between the schemas of an API server and those of this program, as paths such as
 * Deployment.spec.source.
 */
export interface SchemaFit {
  /** Our fields that the API server does not know: it drops them without a message. */
  readonly missing: readonly string[];
  /** Fields that this program does not know. */
  readonly unknown: readonly string[];
}

/** The path at which an API server describes our kinds in OpenAPI 3; any user may read it. */
export const OPENAPI_PATH = `/openapi/v3/apis/${GROUP}/${VERSION}`;

/**
 * Compares the answer of OPENAPI_PATH with our kinds. Returns undefined if the answer describes none of them. The API
 * server cannot drop fields of a kind that is not installed.
 */
export function schemaFitOf(document: unknown): SchemaFit | undefined {
  const schemas = schemasByKind(document);
  const fits = Object.entries(FIELD_NAMES).flatMap(([kind, known]) => {
    const schema = schemas.get(kind);
    return schema === undefined ? [] : [compared(known, schema, kind)];
  });
  return schemas.size === 0 ? undefined : joined(fits);
}

function schemasByKind(document: unknown): ReadonlyMap<string, JsonObject> {
  const components = isJsonObject(document) ? document['components'] : undefined;
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  const found = new Map<string, JsonObject>();
  for (const schema of Object.values(isJsonObject(schemas) ? schemas : {})) {
    for (const kind of isJsonObject(schema) ? kindsOf(schema) : []) {
      if (Object.hasOwn(FIELD_NAMES, kind) && isJsonObject(schema)) found.set(kind, schema);
    }
  }
  return found;
}

function kindsOf(schema: JsonObject): readonly string[] {
  const named: Json = schema['x-kubernetes-group-version-kind'] ?? [];
  return (Array.isArray(named) ? (named as readonly Json[]) : [])
    .filter(isJsonObject)
    .filter(({ group, version }) => group === GROUP && version === VERSION)
    .map(({ kind }) => (typeof kind === 'string' ? kind : ''));
}

function compared(known: FieldNames, schema: JsonObject, path: string): SchemaFit {
  const { items, additionalProperties } = schema;
  if (isJsonObject(items)) return compared(known, items, path);
  if (isJsonObject(additionalProperties)) return compared(known, additionalProperties, path);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  // No field below metadata, or below a free-form field, belongs to our schema.
  if (isOpen || Object.keys(known).length === 0) return { missing: [], unknown: [] };
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const fits = Object.entries(known).map(([name, below]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const at = `${path}.${name}`;
    return isJsonObject(inner) ? compared(below, inner, at) : { missing: [at], unknown: [] };
  });
  const unknown = Object.keys(properties).filter((name) => !Object.hasOwn(known, name));
  return joined([...fits, { missing: [], unknown: unknown.map((name) => `${path}.${name}`) }]);
}

function joined(fits: readonly SchemaFit[]): SchemaFit {
  return { missing: fits.flatMap(({ missing }) => missing), unknown: fits.flatMap(({ unknown }) => unknown) };
}

/**
 * The time after which the schemas are read again: a CRD may be replaced by an older one while we run. In addition, the
 * API server checks announcements strictly.
 */
const LOOK_AGAIN_MS = 600_000;
/** While the schemas differ, somebody is probably about to apply other CRDs. */
const LOOK_AGAIN_SOON_MS = 10_000;

/** The longest wait for an answer, since the API server may not answer at all. */
const LOOK_LIMIT_MS = 5_000;

/** The number of fields that a message names; it counts the rest. */
const FIELDS_TOLD = 5;

const NOTHING_KNOWN: SchemaFit = { missing: [], unknown: [] };

/** The parts that read the schemas of an API server. */
export interface InstalledSchemasOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Compares the schemas of our kinds at the API server with ours. The API server silently drops fields that its CRDs do
 * not know. Without a stored announcement, or a record of sent values, the operator would write twice; without a field
 * that restricts it, nothing would restrict it. So the operator sends nothing to a service while the CRDs are older
 * than this program.
 */
export class InstalledSchemas {
  readonly #options: InstalledSchemasOptions;
  #fit = NOTHING_KNOWN;
  #told = '';
  #lookAgainMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: InstalledSchemasOptions) {
    this.#options = options;
  }

  /**
   * Reads the schemas, and logs how they fit if that is new. If the API server does not answer, the previous result
   * stays.
   */
  async look(signal?: AbortSignal): Promise<void> {
    this.#looking ??= this.#look(signal).finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  /**
   * Reads the schemas again before the next announcement: the API server refused something, possibly because of a
   * schema.
   */
  doubt(): void {
    this.#lookAgainMs = Number.NEGATIVE_INFINITY;
  }

  /** Throws an ApiError while the API server does not know all of our fields. */
  async requireFields(): Promise<void> {
    if (this.#options.clock.now() >= this.#lookAgainMs) await this.look();
    const { missing } = this.#fit;
    if (missing.length === 0) return;
    const message = `the installed CRDs are older than this controller: they lack ${named(missing)}; the controller sends nothing until newer ones are applied`;
    throw new ApiError(message, { kind: 'invalid' });
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    const { transport, clock, logger } = this.#options;
    let fit: SchemaFit | undefined;
    try {
      const how = { signal, timeoutMs: LOOK_LIMIT_MS };
      fit = schemaFitOf((await transport.request('GET', OPENAPI_PATH, how)).json);
    } catch (error) {
      logger.debug('the API server does not say which fields it knows', { error });
    }
    const fits = fit?.missing.length === 0;
    this.#lookAgainMs = clock.now() + (fits ? LOOK_AGAIN_MS : LOOK_AGAIN_SOON_MS);
    if (fit === undefined) return;
    this.#fit = fit;
    this.#tell(fit);
  }

  /** Logs a difference. Logs nothing if the schemas match from the beginning. */
  #tell({ missing, unknown }: SchemaFit): void {
    const { logger } = this.#options;
    const text = [...missing, '', ...unknown].join();
    if (text === this.#told) return;
    this.#told = text;
    if (missing.length > 0)
      logger.warn('the installed CRDs are older than this controller, which sends nothing to a service', {
        missing: named(missing),
      });
    else if (unknown.length > 0)
      logger.info('the installed CRDs are newer than this controller, which leaves unknown fields alone', {
        unknown: named(unknown),
      });
    else logger.info('the installed CRDs now match this controller');
  }
}

function named(fields: readonly string[]): string {
  const more = fields.length - FIELDS_TOLD;
  return [...fields.slice(0, FIELDS_TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
