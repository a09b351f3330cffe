import { join } from 'node:path';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../../docs/support.ts';
import type { KubernetesDocument } from '../../gitops/support/kustomize.ts';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import type { Helm } from '../../support/programs/helm.ts';

/** The folder of the chart. */
export const CHART = join(ROOT, 'manifests', 'chart');
/** The folder of the installation without Helm. */
export const INSTALL = join(ROOT, 'manifests', 'install');
/** The folders of the overlays. */
export const OVERLAYS = join(ROOT, 'manifests', 'overlays');

/** The rendered objects, by `Kind name`, or `Kind namespace/name` if there is a namespace. */
export type Rendered = ReadonlyMap<string, KubernetesDocument>;

/** Expects that no two documents of a stream are the same object. */
function renderedIn(text: string): Rendered {
  const documents = parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesDocument | null)
    .filter((document) => document !== null);
  const rendered = new Map(documents.map((document) => [keyOf(document), document]));
  expect(rendered.size).toBe(documents.length);
  return rendered;
}

function keyOf({ kind, metadata }: KubernetesDocument): string {
  const { name, namespace } = metadata;
  return typeof namespace === 'string' ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
}

/**
 * Returns the output of Helm for the chart with these values, as release `dms-operator` in the namespace of that name.
 */
export async function templated(
  helm: Helm,
  values: object = {},
  release = 'dms-operator',
): Promise<Rendered> {
  const args = ['template', release, CHART, '--namespace', 'dms-operator'];
  return renderedIn(await helm.output([...args, '--set-json', JSON.stringify(values)]));
}

/** Returns the output of kustomize for a folder. */
export async function kustomized(plane: ControlPlane, folder: string): Promise<Rendered> {
  const { code, stdout, stderr } = await plane.kubectl(['kustomize', folder]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return renderedIn(stdout);
}
