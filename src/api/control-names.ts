import { at, list } from './problem.ts';

const CONTROL = /\p{Cc}/u;

/** True if a text contains a control character, such as a line end. */
export function hasControl(text: unknown): boolean {
  return typeof text === 'string' && CONTROL.test(text);
}

/**
 * Returns the paths at which a spec names a secret or a variable with a control character in the name. No variable can
 * have such a name, and a line end in a name can make one text look like another. The schema allows it, because the API
 * server checks the spec with every status update: a stored object with such a name could then get no status any more.
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
