import type { JsonObject } from './json.ts';
import type { ResourceSpecView, SecretReference } from './observation.ts';
import type { SecretValue } from './secret.ts';

/** A secret as sent. */
export interface SentSecret {
  readonly name: string;
  readonly value: SecretValue;
}

/**
 * A PATCH request (4.4) under custom-resource names; an absent property is not sent. `null` inside `fields` is an
 * explicit null.
 */
export interface PatchBody {
  readonly revisionSource?: string;
  readonly sourceConfig?: {
    readonly fields: JsonObject;
    readonly resourceSpec?: ResourceSpecView;
  };
  readonly sourceRevisionConfig?: JsonObject;
  readonly secrets?: readonly SentSecret[];
  readonly secretReferences?: readonly SecretReference[];
}

/** A creation request (the POST that section 1 mentions): a PATCH body plus what cannot change later. */
export interface CreateBody extends PatchBody {
  readonly name: string;
  readonly source: string;
  /** Free-form additions, merged in as they are. */
  readonly extra: JsonObject;
}
