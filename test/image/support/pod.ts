import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../docs/support.ts';

/** Under what the shipped manifests put the container of the controller, as far as a kernel alone can do it. */
export interface ShippedContainer {
  readonly args: readonly string[];
  readonly user: number;
  readonly group: number;
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean;
    readonly readOnlyRootFilesystem: boolean;
    readonly capabilities: { readonly drop: readonly string[] };
  };
}

/** Reads manifests/install/controller.yaml. */
export function shippedContainer(): ShippedContainer {
  const { spec } = (
    parse(readFileSync(join(ROOT, 'manifests/install/controller.yaml'), 'utf8')) as {
      spec: { template: { spec: PodSpec } };
    }
  ).spec.template;
  const [{ args, securityContext }] = spec.containers;
  return {
    args,
    user: spec.securityContext.runAsUser,
    group: spec.securityContext.runAsGroup,
    securityContext,
  };
}

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly [Pick<ShippedContainer, 'args' | 'securityContext'>];
}
