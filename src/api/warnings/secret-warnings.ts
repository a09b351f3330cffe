import { at, type JsonRecord, list, type Problem, warning } from '../problem.ts';

const LARGE_VALUE_BYTES = 256 * 1024;
/** More secrets than a deployment of such a service usually has. */
const MANY_SECRETS = 100;

const USUAL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns warnings about secrets and secret references (2.7), whose names and sizes the service does not document. */
export function secretWarnings(spec: JsonRecord): Problem[] {
  return [
    ...countWarnings(list(spec['secrets']).length),
    ...list(spec['secrets']).flatMap((secret, index) => [
      ...nameWarnings(`spec.secrets[${index}].name`, at(secret, 'name')),
      ...secretValueWarnings(`spec.secrets[${index}].value`, at(secret, 'value')),
    ]),
    ...list(spec['secretReferences']).flatMap((reference, index) =>
      nameWarnings(`spec.secretReferences[${index}].name`, at(reference, 'name')),
    ),
  ];
}

function countWarnings(count: number): Problem[] {
  if (count <= MANY_SECRETS) return [];
  const message = `has ${count} secrets, which the service may refuse`;
  return [warning('spec.secrets', message, `at most ${MANY_SECRETS}`)];
}

function nameWarnings(path: string, name: unknown): Problem[] {
  if (typeof name !== 'string' || USUAL_NAME.test(name)) return [];
  return [
    warning(path, 'may be refused as name of a variable', 'letters, digits and underscores, no digit first'),
  ];
}

/** Returns warnings about the value of a secret. They do not repeat the value. */
export function secretValueWarnings(path: string, value: unknown): Problem[] {
  if (typeof value !== 'string') return [];
  if (value === '') return [warning(path, 'is empty', 'a value')];
  const problems: Problem[] = [];
  if (value.endsWith('\n')) problems.push(warning(path, 'ends in a line break', 'a value without it'));
  const bytes = new TextEncoder().encode(value).length;
  if (bytes > LARGE_VALUE_BYTES) {
    problems.push(
      warning(path, `has ${Math.ceil(bytes / 1024)} KiB, which the service may refuse`, 'at most 256 KiB'),
    );
  }
  return problems;
}
