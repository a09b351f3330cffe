import type { DeploymentResource } from './deployment.ts';

/** The sources that `spec.source` may name. */
export const SOURCES: readonly string[] = [
  'codehost',
  'external_container',
  'internal_container',
  'internal_source',
  'internal_template',
] satisfies readonly DeploymentResource['spec']['source'][];
