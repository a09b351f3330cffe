/** The keywords of JSON schema that the generated constants use. The generator refuses all others. */
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
  /** False: no other fields. A schema: a map. True or absent: a free-form object. */
  readonly additionalProperties?: boolean | Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  /** True for a list of scalars without duplicates. */
  readonly uniqueItems?: boolean;
  /** In a list of objects, no two may have the same values under these keys. */
  readonly uniqueBy?: readonly string[];
}
