import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { ROOT } from '../../docs/support.ts';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A document in the input and output of kustomize. */
export interface KubernetesDocument {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly [field: string]: unknown;
}

/** Returns the output of the real kustomize for files and the shipped component, as text. */
export async function build(
  cluster: ControlPlane,
  kustomization: object,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = temporaryFolder(files);
  cpSync(join(ROOT, 'manifests', 'gitops', 'kustomize'), folder.at('component'), { recursive: true });
  const components = ['component'];
  const resources = Object.keys(files);
  folder.write('kustomization.yaml', stringify({ resources, components, ...kustomization }));
  const { code, stdout, stderr } = await cluster.kubectl(['kustomize', folder.path]);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Returns the documents of a stream. */
export function documentsIn(text: string): readonly KubernetesDocument[] {
  return parseAllDocuments(text).map((document) => document.toJS() as KubernetesDocument);
}

/** Returns the only document of a kind in a stream. */
export function only(text: string, kind: string): KubernetesDocument {
  const found = documentsIn(text).filter((document) => document.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as KubernetesDocument;
}
