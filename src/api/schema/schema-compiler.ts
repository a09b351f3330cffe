import { Ajv, type CodeOptions, type ErrorObject, type ValidateFunction } from 'ajv';
import { schemaOf } from './schema-of.ts';

/** An error of ajv about one keyword that does not hold. */
export type SchemaError = ErrorObject;

/**
 * An ajv for the schemas of our kinds: all errors at once, without texts, which `schema-check` words better. `uniqueBy`
 * is none of JSON schema's keywords; `list-keys` looks after it.
 */
export function schemaCompiler(code?: CodeOptions): Ajv {
  const options = { allErrors: true, messages: false, strict: true, strictRequired: false } as const;
  const ajv = new Ajv(code === undefined ? options : { ...options, code });
  ajv.addKeyword('uniqueBy');
  return ajv;
}

const validators = new Map<string, ValidateFunction>();

/**
 * The compiled schema of the kind. Throws for a kind that has no schema. From source it is compiled when it is first
 * asked for; the bundle has the code that ajv writes in the place of this file (`scripts/validators-ahead.ts`).
 */
export function validatorOf(kind: string): ValidateFunction {
  const known = validators.get(kind) ?? schemaCompiler().compile(schemaOf(kind));
  validators.set(kind, known);
  return known;
}
