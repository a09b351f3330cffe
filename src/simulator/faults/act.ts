import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { Content, DeploymentState } from '../state/deployment-state.ts';
import { pathParts, withValueAt } from '../values/field-rules.ts';
import { isWireObject, listOf, objectOf, textOf } from '../values/wire-values.ts';
import type { DeploymentSeed } from '../state/service-seed.ts';
import type { SemanticsPatch } from '../switches/semantics.ts';
import { DEFAULT_BRANCH, type World } from '../state/world.ts';

/** An action of an actor other than the client, who changes a deployment by id or name. */
export type Action =
  /** A commit on the branch. It is built if build_on_push is true, or if the action says so. */
  | {
      readonly kind: 'push';
      readonly deployment: string;
      readonly commit: string;
      readonly build?: boolean;
    }
  /** A person changes one value; null removes it. Paths use wire names: `source_config.custom_url`. */
  | { readonly kind: 'edit'; readonly deployment: string; readonly path: string; readonly value: WireJson }
  /** A person deploys an old revision again, by id or by position, counted from the newest (1: the one before it). */
  | { readonly kind: 'redeploy'; readonly deployment: string; readonly revision: string | number }
  | { readonly kind: 'delete'; readonly deployment: string }
  | { readonly kind: 'add'; readonly seed: DeploymentSeed }
  /**
   * The service changes switches, of one deployment or of all; after `seconds` they return to their earlier positions.
   */
  | {
      readonly kind: 'switch';
      readonly semantics: SemanticsPatch;
      readonly deployment?: string;
      readonly seconds?: number;
    };

/** Reports an impossible action, with a message for the person who requested it. */
export class ActionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ActionError';
  }
}

/** Carries out an action. Returns the deployment afterwards, or undefined if it is gone. */
export function act(world: World, action: Action): DeploymentState | undefined {
  switch (action.kind) {
    case 'add':
      return world.add(action.seed);
    case 'delete':
      world.remove(existing(world, action.deployment));
      return world.find(action.deployment);
    case 'push':
      return push(world, existing(world, action.deployment), action);
    case 'edit':
      return edit(world, existing(world, action.deployment), action);
    case 'redeploy':
      return redeploy(world, existing(world, action.deployment), action.revision);
    case 'switch':
      return turn(world, action);
  }
}

function turn(world: World, action: Action & { readonly kind: 'switch' }): DeploymentState | undefined {
  const { semantics, deployment, seconds } = action;
  const state = deployment === undefined ? undefined : world.find(deployment);
  world.setSemantics(semantics, state?.id ?? deployment, seconds);
  return state;
}

function existing(world: World, deployment: string): DeploymentState {
  const state = world.find(deployment);
  if (state === undefined) throw new ActionError(`there is no deployment ${deployment}`);
  return state;
}

function push(
  world: World,
  state: DeploymentState,
  { commit, build }: Action & { readonly kind: 'push' },
): DeploymentState {
  const ref = textOf(state.content.revisionConfig['repo_ref']);
  world.heads.push(textOf(state.content.sourceConfig['repo_url']), ref || DEFAULT_BRANCH, commit);
  const builds = build ?? state.content.sourceConfig['build_on_push'] === true;
  return builds ? world.change(state, state, 'push') : state;
}

function redeploy(world: World, state: DeploymentState, which: string | number): DeploymentState {
  const revision =
    typeof which === 'number'
      ? state.revisions.at(-1 - which)
      : state.revisions.find(({ id }) => id === which);
  if (revision === undefined) throw new ActionError(`${state.name} has no revision ${which}`);
  const content = { ...state.content, revisionConfig: revision.config };
  return world.change(state, { ...state, content }, 'redeploy');
}

function edit(
  world: World,
  state: DeploymentState,
  { path, value }: Action & { readonly kind: 'edit' },
): DeploymentState {
  const [block = '', ...rest] = pathParts(path);
  const change = EDITS[block];
  if (change === undefined) {
    throw new ActionError(`${path}: cannot be edited; expected one of ${Object.keys(EDITS).join(', ')}`);
  }
  return world.change(state, change(state, rest, value), 'edit');
}

type Edit = (state: DeploymentState, path: readonly string[], value: WireJson) => DeploymentState;

const EDITS: Readonly<Record<string, Edit>> = {
  source_config: (state, path, value) =>
    withContent(state, { sourceConfig: editedObject(state.content.sourceConfig, path, value) }),
  source_revision_config: (state, path, value) =>
    withContent(state, { revisionConfig: editedObject(state.content.revisionConfig, path, value) }),
  secrets: (state, [name], value) =>
    withContent(state, { secrets: editedSecrets(state.content, name, value) }),
  secret_references: (state, _path, value) =>
    withContent(state, {
      secretReferences: value === null ? null : listOf(value).filter(isWireObject),
    }),
  status: (state, _path, value) => ({ ...state, statusOverride: textOrNull(value) }),
  image_version: (state, _path, value) => ({ ...state, imageVersion: textOrNull(value) }),
  tenant_id: (state, _path, value) => ({ ...state, tenantID: textOf(value) }),
  name: (state, _path, value) => ({ ...state, name: textOf(value) }),
  source: (state, _path, value) => ({ ...state, source: textOf(value) }),
};

function withContent(state: DeploymentState, content: Partial<Content>): DeploymentState {
  return { ...state, content: { ...state.content, ...content } };
}

function editedObject(object: WireObject, path: readonly string[], value: WireJson): WireObject {
  if (path.length === 0) return objectOf(value);
  return withValueAt(object, path, value ?? undefined);
}

/** Returns the secrets after an edit: of one secret by name, or of the whole set by an object of names and values. */
function editedSecrets({ secrets }: Content, name: string | undefined, value: WireJson): Content['secrets'] {
  if (name === undefined) {
    return Object.entries(objectOf(value)).map(([key, text]) => ({ name: key, value: textOf(text) }));
  }
  const others = secrets.filter((secret) => secret.name !== name);
  return value === null ? others : [...others, { name, value: textOf(value) }];
}

function textOrNull(value: WireJson): string | null {
  return value === null ? null : textOf(value);
}
