import { ExpectedError } from '../../base/expected-error.ts';
import { DIGEST_KEY_SECRET } from '../../model/connection/connection.ts';
import { isJsonObject } from '../../base/json.ts';
import { isApiError } from '../client/api-error.ts';
import { collectionPath, objectPath, SECRETS } from '../objects/resource-type.ts';
import type { Transport } from '../client/exchange.ts';

const ENTRY = 'key';
const KEY_BYTES = 32;

/**
 * Returns the key in the Secret of `namespace`. If there is no key yet, makes it from `randomBytes` (32 of them). If
 * two processes create it, one wins and both return its key. Throws if the Secret contains something else.
 */
export async function loadOrCreateDigestKey(
  transport: Transport,
  namespace: string,
  randomBytes: Uint8Array,
): Promise<Uint8Array> {
  if (randomBytes.length !== KEY_BYTES) throw new RangeError(`a digest key has ${KEY_BYTES} bytes`);
  const existing = await readDigestKey(transport, namespace);
  if (existing !== undefined) return existing;
  try {
    await transport.request('POST', collectionPath(SECRETS, namespace), {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: DIGEST_KEY_SECRET, namespace },
        immutable: true,
        type: 'Opaque',
        data: { [ENTRY]: Buffer.from(randomBytes).toString('base64') },
      },
    });
  } catch (error) {
    if (!isApiError(error, 'conflict')) throw error;
  }
  // Reads the key back in any case: the stored key is the valid one.
  const stored = await readDigestKey(transport, namespace);
  if (stored === undefined)
    throw new Error(`Secret ${namespace}/${DIGEST_KEY_SECRET} went away while it was made`);
  return stored;
}

/**
 * Returns the key in the Secret of `namespace`, or undefined if there is none. Throws if the Secret contains
 * something else.
 */
export async function readDigestKey(
  transport: Transport,
  namespace: string,
): Promise<Uint8Array | undefined> {
  try {
    const answer = await transport.request(
      'GET',
      objectPath(SECRETS, { namespace, name: DIGEST_KEY_SECRET }),
    );
    const data = isJsonObject(answer.json) ? answer.json['data'] : undefined;
    const text = isJsonObject(data) ? data[ENTRY] : undefined;
    const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
    if (key.length !== KEY_BYTES) {
      throw new ExpectedError(
        `Secret ${namespace}/${DIGEST_KEY_SECRET} does not hold a digest key of ${KEY_BYTES} bytes; delete it, and a new one is made`,
      );
    }
    return key;
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}
