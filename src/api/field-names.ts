/** Names of the fields of a schema, each with those below it. A list or a map has those of its entries. */
export interface FieldNames {
  readonly [name: string]: FieldNames;
}
