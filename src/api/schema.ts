/** The keywords of JSON schema that the generated constants use, and no others: the generator refuses them. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'number' | 'integer';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** Counted in characters, not in code units. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** False: no others; a schema: a map; true or absent: a free-form object. */
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  /** A list of scalars in which none stands twice. */
  readonly uniqueItems?: boolean;
  /** A list of objects of which no two have the same values under these keys. */
  readonly uniqueBy?: readonly string[];
}
