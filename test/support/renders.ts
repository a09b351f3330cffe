import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ControlPlane } from './control-plane.ts';

const MANIFESTS = join(import.meta.dirname, '..', '..', 'manifests');

/** An object that an installation makes. */
export interface InstalledObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** One way to install the controller, and everything that it makes. */
export interface Render {
  readonly what: string;
  objects(cluster: ControlPlane): Promise<readonly InstalledObject[]>;
}

function kustomized(folder: string): Render {
  return {
    what: `manifests/${folder}`,
    async objects(cluster) {
      const { code, stdout, stderr } = await cluster.kubectl(['kustomize', join(MANIFESTS, folder)]);
      if (code !== 0) throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
      return parseAllDocuments(stdout).map((document) => document.toJS() as InstalledObject);
    },
  };
}

/** Folders below manifests that change the installation, shards and the like. */
function overlays(): readonly string[] {
  const folder = join(MANIFESTS, 'overlays');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join('overlays', name));
}

/** Every installation that is shipped: what holds for the pods of one has to hold for all. */
export const RENDERS: readonly Render[] = ['install', ...overlays()].map(kustomized);
