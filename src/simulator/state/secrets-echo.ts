import { createHash } from 'node:crypto';
import type { WireObject } from '../../wire/wire-json.ts';
import type { SecretsEcho } from '../switches/semantics.ts';

/** A secret as the service keeps it. */
export interface KeptSecret {
  readonly name: string;
  readonly value: string;
}

/** The text that a service which hides values shows for each of them. */
const STARS = '********';

/** Returns the secrets as an answer shows them (2.7 does not show whether values are masked). */
export function shownSecrets(echo: SecretsEcho, secrets: readonly KeptSecret[]): readonly WireObject[] {
  if (echo === 'omitted') return [];
  return secrets.map((secret) => ECHOES[echo](secret));
}

/** True if `sent` is the text that the service showed instead of the value: the client wrote a mask back. */
export function isMaskWrittenBack(echo: SecretsEcho, kept: KeptSecret, sent: string): boolean {
  if (echo === 'plain' || echo === 'omitted' || echo === 'names-only') return false;
  const shown = ECHOES[echo](kept)['value'];
  return shown === sent && sent !== kept.value && sent !== '';
}

const ECHOES: Record<Exclude<SecretsEcho, 'omitted'>, (secret: KeptSecret) => WireObject> = {
  plain: ({ name, value }) => ({ name, value }),
  null: ({ name }) => ({ name, value: null }),
  empty: ({ name }) => ({ name, value: '' }),
  stars: ({ name }) => ({ name, value: STARS }),
  partial: ({ name, value }) => ({ name, value: `${value.slice(0, 2)}…${value.slice(-2)}` }),
  'names-only': ({ name }) => ({ name }),
  digest: ({ name, value }) => ({
    name,
    value: createHash('sha256').update(value).digest('hex').slice(0, 16),
  }),
};
