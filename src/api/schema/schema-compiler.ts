import { Ajv, type CodeOptions, type ErrorObject, type ValidateFunction } from 'ajv';
import { schemaOf } from './schema-of.ts';

/** An error of ajv about one violated keyword. */
export type SchemaError = ErrorObject;

/**
 * Returns an ajv for the schemas of our kinds. It reports all errors at once and without messages, since
 * `schemaProblems` writes better ones. `uniqueBy` is not a keyword of JSON schema; `repeatedKeys` checks it.
 */
export function schemaCompiler(code?: CodeOptions): Ajv {
  const options = { allErrors: true, messages: false, strict: true, strictRequired: false } as const;
  const ajv = new Ajv(code === undefined ? options : { ...options, code });
  ajv.addKeyword('uniqueBy');
  return ajv;
}

const validators = new Map<string, ValidateFunction>();

/**
 * Returns the compiled schema of a kind. Throws for a kind without a schema. When run from source, compiles the schema
 * on first use. In the bundle, code that ajv generated replaces this file (`scripts/validators-ahead.ts`).
 */
export function validatorOf(kind: string): ValidateFunction {
  const known = validators.get(kind) ?? schemaCompiler().compile(schemaOf(kind));
  validators.set(kind, known);
  return known;
}
