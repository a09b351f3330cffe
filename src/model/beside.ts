import type { Json } from './json.ts';
import type { ObservedDeployment } from './observation.ts';

/** True where a look shows a text at another of some paths in the block of a path. */
export function staysBeside(path: string, others: readonly string[], look: ObservedDeployment): boolean {
  const [block] = path.split('.');
  if (block !== 'sourceConfig' && block !== 'sourceRevisionConfig') return false;
  return others.some((other) => {
    const [otherBlock, key = ''] = other.split('.');
    return other !== path && otherBlock === block && isText(look[block]?.fields[key]);
  });
}

/** True for a text that is not empty. */
export function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}
