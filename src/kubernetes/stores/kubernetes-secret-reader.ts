import { isUtf8 } from 'node:buffer';
import { FailureError } from '../../model/connection/failure.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { SecretValue } from '../../base/secret-value.ts';
import type { DataObject, DataObjectName, SecretReader } from '../../ports/stores/secret-reader.ts';
import { isApiError } from '../client/api-error.ts';
import { hasTooManyParts, MOST_PARTS } from '../objects/object-text.ts';
import {
  CONFIG_MAPS,
  isKubernetesObject,
  isObjectName,
  objectPath,
  SECRETS,
} from '../objects/resource-type.ts';
import type { Transport } from '../client/exchange.ts';

/** Reads Secrets and ConfigMaps from the API server at every request. */
export class KubernetesSecretReader implements SecretReader {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async read(name: DataObjectName): Promise<DataObject | undefined> {
    // A name that no object can have would change the path of the request.
    if (!isObjectName(name.name) || !isObjectName(name.namespace)) return undefined;
    const path = objectPath(name.kind === 'Secret' ? SECRETS : CONFIG_MAPS, name);
    try {
      return decode(
        name,
        (await this.#transport.request('GET', path, { read: (text) => dataFrom(name, text) })).json,
      );
    } catch (error) {
      if (isApiError(error, 'notFound')) return undefined;
      if (isApiError(error, 'forbidden')) throw unreadable(name, error);
      throw error;
    }
  }
}

/**
 * Parses the data of an object. Refuses too many keys: each would occupy a hundred bytes or more for every pass that
 * reads it.
 */
function dataFrom({ kind, namespace, name }: DataObjectName, text: string): unknown {
  if (!hasTooManyParts(text)) return JSON.parse(text);
  const message = `${kind} ${namespace}/${name} has more than ${MOST_PARTS.toLocaleString('en-US')} keys and is not read`;
  throw new FailureError(message, { kind: 'transient', reason: 'SecretMissing', sent: 'no' });
}

/** Makes the error for an object that may not be read. Roles are not watched, so the pass tries again with backoff. */
function unreadable({ kind, namespace, name }: DataObjectName, error: Error): FailureError {
  const message = `${kind} ${namespace}/${name} may not be read by the controller: ${error.message}`;
  return new FailureError(
    message,
    { kind: 'transient', reason: 'SecretMissing', sent: 'no' },
    { cause: error },
  );
}

function decode(name: DataObjectName, json: unknown): DataObject | undefined {
  if (!isJsonObject(json) || !isKubernetesObject(json)) return undefined;
  const { uid = '', resourceVersion = '' } = json.metadata;
  const binary = name.kind === 'Secret' ? json['data'] : json['binaryData'];
  const text = name.kind === 'Secret' ? undefined : json['data'];
  const data = new Map([...entries(binary, 'base64'), ...entries(text, 'utf8')]);
  return { name, uid, resourceVersion, data };
}

type Value = DataObject['data'] extends ReadonlyMap<string, infer V> ? V : never;

function entries(data: JsonObject[string] | undefined, encoding: 'base64' | 'utf8'): [string, Value][] {
  if (!isJsonObject(data)) return [];
  return Object.entries(data).map(([key, text]) => {
    const bytes = Buffer.from(typeof text === 'string' ? text : '', encoding);
    return [key, { bytes, value: new SecretValue(bytes.toString('utf8')), utf8: isUtf8(bytes) }];
  });
}
