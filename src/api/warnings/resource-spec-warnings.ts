import { looksLikeCredential } from '../credential.ts';
import { at, isRecord, type JsonRecord, list, type Problem, record, warning } from '../problem.ts';

const SPEC = 'spec.sourceConfig.resourceSpec';

/** Pairs of number fields: the first should not exceed the second. */
const PAIRS: readonly (readonly [low: string, high: string])[] = [
  ['minScale', 'maxScale'],
  ['queueMinScale', 'queueMaxScale'],
  ['orchestratorMinScale', 'orchestratorMaxScale'],
  ['cpu', 'cpuLimit'],
  ['memoryMB', 'memoryLimitMB'],
  ...['queue', 'orchestrator', 'executor', 'cache', 'db'].flatMap((workload): [string, string][] => [
    [`${workload}CPU`, `${workload}CPULimit`],
    [`${workload}MemoryMB`, `${workload}MemoryLimitMB`],
  ]),
];

/**
 * Returns warnings about the resource spec (2.5), whose units, bounds and required keys are not documented.
 * `deploymentName` is the likely name of the main container.
 */
export function resourceSpecWarnings(value: unknown, deploymentName?: unknown): Problem[] {
  const spec = record(value);
  return [
    ...containerNameWarnings(spec, deploymentName),
    ...numberWarnings(spec),
    ...workloadWarnings(spec),
    ...mountWarnings(spec),
    ...containerWarnings('initContainers', spec),
    ...containerWarnings('sidecars', spec),
  ];
}

function numberWarnings(spec: JsonRecord): Problem[] {
  const negative = Object.entries(spec).filter(([, value]) => typeof value === 'number' && value < 0);
  const crossed = PAIRS.filter(([low, high]) => {
    const [from, to] = [spec[low], spec[high]];
    return typeof from === 'number' && typeof to === 'number' && from > to;
  });
  return [
    ...negative.map(([name]) => warning(`${SPEC}.${name}`, 'is negative', '0 or more')),
    ...crossed.map(([low, high]) => warning(`${SPEC}.${low}`, `is larger than ${high}`, `at most ${high}`)),
  ];
}

function workloadWarnings(spec: JsonRecord): Problem[] {
  return ['orchestrator', 'executor'].flatMap((workload) => {
    const name = Object.keys(spec).find((key) => key.startsWith(workload));
    if (name === undefined) return [];
    const message = `sets the ${workload} workload, whose purpose the service does not document`;
    return [warning(`${SPEC}.${name}`, message, 'a service that has this workload')];
  });
}

function mountWarnings(spec: JsonRecord): Problem[] {
  if (spec['volumes'] === undefined) return [];
  const volumes = new Set(list(spec['volumes']).map((volume) => at(volume, 'name')));
  const places = [
    [`${SPEC}.volumeMounts`, spec['volumeMounts']] as const,
    ...['initContainers', 'sidecars'].flatMap((group) =>
      list(spec[group]).map(
        (container, index) =>
          [`${SPEC}.${group}[${index}].volumeMounts`, at(container, 'volumeMounts')] as const,
      ),
    ),
  ];
  return places.flatMap(([path, mounts]) =>
    list(mounts).flatMap((mount, index) => {
      const name = at(mount, 'name');
      if (name !== undefined && volumes.has(name)) return [];
      return [
        warning(`${path}[${index}].name`, 'names no volume of this list', `a name under ${SPEC}.volumes`),
      ];
    }),
  );
}

/** Warns of a container name that another container or, probably, the main container of the pod uses. */
function containerNameWarnings(spec: JsonRecord, deploymentName: unknown): Problem[] {
  const seen = new Set<unknown>();
  return ['initContainers', 'sidecars'].flatMap((group) =>
    list(spec[group]).flatMap((container, index) => {
      const path = `${SPEC}.${group}[${index}].name`;
      const name = at(container, 'name');
      if (name === undefined) return [];
      if (seen.has(name)) return [warning(path, 'is the name of another container', 'a name of its own')];
      seen.add(name);
      if (name !== deploymentName) return [];
      return [warning(path, 'may be the name of the main container', 'a name of its own')];
    }),
  );
}

function containerWarnings(group: string, spec: JsonRecord): Problem[] {
  return list(spec[group]).flatMap((container, index) =>
    list(at(container, 'env')).flatMap((variable, position) =>
      isRecord(variable) ? variableWarnings(`${SPEC}.${group}[${index}].env[${position}]`, variable) : [],
    ),
  );
}

function variableWarnings(path: string, { name, value, valueFrom }: JsonRecord): Problem[] {
  const problems: Problem[] = [];
  if (value !== undefined && valueFrom !== undefined) {
    problems.push(warning(path, 'has both value and valueFrom', 'one of them'));
  }
  if (looksLikeCredential(name, value)) {
    problems.push(
      warning(`${path}.value`, 'looks like a credential in plain text', 'valueFrom with a secretKeyRef'),
    );
  }
  return problems;
}
