/** Names of the fields of a schema, each with its own fields. A list or a map has the fields of its entries. */
export interface FieldNames {
  readonly [name: string]: FieldNames;
}
