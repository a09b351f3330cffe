import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import type { Helm } from '../../support/programs/helm.ts';
import { INSTALL, kustomized, OVERLAYS, type Rendered, templated } from './rendered.ts';

/** A shipped installation of the controller, with its rendered objects. */
export interface Render {
  readonly what: string;
  objects(tools: { readonly plane: ControlPlane; readonly helm: Helm }): Promise<Rendered>;
}

/** Every shipped installation of the controller. The rules for the pods of one apply to all. */
export const RENDERS: readonly Render[] = [
  { what: 'manifests/install', objects: ({ plane }) => kustomized(plane, INSTALL) },
  ...readdirSync(OVERLAYS).map((name) => ({
    what: `manifests/overlays/${name}`,
    objects: ({ plane }: { readonly plane: ControlPlane }) => kustomized(plane, join(OVERLAYS, name)),
  })),
  { what: 'the chart', objects: ({ helm }) => templated(helm) },
];
