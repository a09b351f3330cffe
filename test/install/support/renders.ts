import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import type { Helm } from '../../support/programs/helm.ts';
import { INSTALL, kustomized, OVERLAYS, type Rendered, templated } from './rendered.ts';

/** What is shipped to install the controller, and what a tool makes of it. */
export interface Render {
  readonly what: string;
  objects(tools: { readonly plane: ControlPlane; readonly helm: Helm }): Promise<Rendered>;
}

/** Everything that is shipped to install the controller: what holds for the pods of one has to hold for all. */
export const RENDERS: readonly Render[] = [
  { what: 'manifests/install', objects: ({ plane }) => kustomized(plane, INSTALL) },
  ...readdirSync(OVERLAYS).map((name) => ({
    what: `manifests/overlays/${name}`,
    objects: ({ plane }: { readonly plane: ControlPlane }) => kustomized(plane, join(OVERLAYS, name)),
  })),
  { what: 'the chart', objects: ({ helm }) => templated(helm) },
];
