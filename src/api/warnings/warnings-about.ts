import { CLUSTER_CONNECTION_KIND } from '../connection.ts';
import { connectionWarnings } from './connection-warnings.ts';
import { ANNOTATIONS, DEPLOYMENT_KIND } from '../deployment.ts';
import { formWarnings } from './form-warnings.ts';
import { GROUP } from '../metadata.ts';
import { at, isRecord, join, type JsonRecord, type Problem, record, warning } from '../problem.ts';
import { resourceSpecWarnings } from './resource-spec-warnings.ts';
import { secretWarnings } from './secret-warnings.ts';
import { sourceWarnings } from './source-warnings.ts';

/** Above this a request may be too large for the service; its limits are not documented (section 8). */
const LARGE_SPEC_BYTES = 900 * 1024;

/**
 * Lists likely mistakes that no rule forbids: the specification does not say which fields a source needs,
 * which numbers are valid, or how names are formed. A warning is never a reason to refuse.
 */
export function warningsAbout(document: JsonRecord): Problem[] {
  const spec = record(document['spec']);
  if (document['kind'] !== DEPLOYMENT_KIND) {
    return connectionWarnings(spec, document['kind'] === CLUSTER_CONNECTION_KIND);
  }
  return [
    ...annotationWarnings(at(document, 'metadata', 'annotations')),
    ...sourceWarnings(spec),
    ...formWarnings(spec),
    ...resourceSpecWarnings(at(spec, 'sourceConfig', 'resourceSpec'), deploymentName(document)),
    ...secretWarnings(spec),
    ...sizeWarnings(spec),
  ];
}

function deploymentName(document: JsonRecord): unknown {
  return at(document, 'spec', 'deploymentRef', 'name') ?? at(document, 'metadata', 'name');
}

function annotationWarnings(annotations: unknown): Problem[] {
  const known: readonly string[] = Object.values(ANNOTATIONS);
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(record(annotations))) {
    const path = join('metadata.annotations', name);
    if (name === ANNOTATIONS.paused && value !== 'true' && value !== 'false') {
      problems.push(warning(path, 'has no effect with this value', '"true" or "false"'));
    } else if (name.startsWith(`${GROUP}/`) && !known.includes(name)) {
      problems.push(warning(path, 'is not an annotation of this project', `one of ${known.join(', ')}`));
    }
  }
  return problems;
}

function sizeWarnings(spec: JsonRecord): Problem[] {
  if (!isRecord(spec)) return [];
  const bytes = new TextEncoder().encode(JSON.stringify(spec)).length;
  if (bytes <= LARGE_SPEC_BYTES) return [];
  return [
    warning('spec', `has ${Math.ceil(bytes / 1024)} KiB, which the service may refuse`, 'less than 900 KiB'),
  ];
}
