import standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import { schemaOf } from '../src/api/schema/schema-of.ts';
import { SCHEMAS } from '../src/api/generated/schemas.ts';
import { schemaCompiler } from '../src/api/schema/schema-compiler.ts';

/**
 * Puts the code that ajv makes of the schemas in the place of `src/api/schema/schema-compiler.ts`, so that no start of the program
 * compiles them and ajv's compiler stays out of the bundle: 100 ms less for every command that reads manifests.
 */
export const validatorsAhead: Plugin = {
  name: 'compile the schemas ahead',
  setup(bundle) {
    bundle.onLoad({ filter: /\/src\/api\/schema\/validators\.ts$/ }, () => ({
      contents: source(),
      loader: 'js',
    }));
  },
};

function source(): string {
  const kinds = Object.keys(SCHEMAS);
  const ajv = schemaCompiler({ source: true, esm: true });
  for (const kind of kinds) ajv.addSchema(schemaOf(kind), kind);
  const code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])));
  return `${code}
const validators = new Map(Object.entries({ ${kinds.join(', ')} }));
export function validatorOf(kind) {
  const known = validators.get(kind);
  if (known === undefined) throw new Error('there is no schema for kind ' + kind);
  return known;
}
`;
}
