import { at, list } from './problem.ts';

const CONTROL = /\p{Cc}/u;

/** Whether a text has a control character in it, such as a line end. */
export function hasControl(text: unknown): boolean {
  return typeof text === 'string' && CONTROL.test(text);
}

/**
 * Paths at which a spec names a secret or a variable with a control character in the name. No variable can be called so,
 * and a line end in a name is how one text is made to look like another. The schema does not refuse it: an object that is
 * stored already would take no status any more, which the API server checks together with the spec.
 */
export function controlNames(spec: unknown): readonly string[] {
  return [
    ...among(at(spec, 'secrets'), 'spec.secrets', 'name'),
    ...among(at(spec, 'secretsFrom'), 'spec.secretsFrom', 'prefix'),
    ...among(at(spec, 'secretReferences'), 'spec.secretReferences', 'name'),
    ...['initContainers', 'sidecars'].flatMap((group) => {
      const path = `sourceConfig.resourceSpec.${group}`;
      return list(at(spec, ...path.split('.'))).flatMap((container, index) =>
        among(at(container, 'env'), `spec.${path}[${index}].env`, 'name'),
      );
    }),
  ];
}

function among(entries: unknown, path: string, field: string): readonly string[] {
  return list(entries).flatMap((entry, index) =>
    hasControl(at(entry, field)) ? [`${path}[${index}].${field}`] : [],
  );
}
