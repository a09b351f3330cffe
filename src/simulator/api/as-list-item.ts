import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { DeploymentState } from '../state/deployment-state.ts';
import { withValueAt } from '../values/field-rules.ts';
import type { ItemForm, ListShape, ServiceSemantics } from '../switches/semantics.ts';

/** Returns the item of the list for a deployment (2.3: the list sample lacks fields). */
export function asListItem(
  shown: WireObject,
  state: DeploymentState,
  { listShape, listItem }: ServiceSemantics,
): WireJson {
  return FORMS[listItem](listShape.reduce((item, shape) => SHAPES[shape](item, state), shown));
}

const SHAPES: Record<ListShape, (item: WireObject, state: DeploymentState) => WireObject> = {
  'no-source-status': ({ source: _source, status: _status, ...rest }) => rest,
  'no-secrets': ({ secrets: _secrets, ...rest }) => rest,
  'empty-secrets': (item) => ({ ...item, secrets: [] }),
  'null-references': (item) => ({ ...item, secret_references: null }),
  'no-references': ({ secret_references: _references, ...rest }) => rest,
  'no-commands': (item) =>
    ['install_command', 'build_command'].reduce((rest, key) => without(rest, 'source_config', key), item),
  'no-listener-config': (item) => without(item, 'source_config', 'listener_config'),
  'no-resource-spec': (item) => without(item, 'source_config', 'resource_spec'),
  'resource-spec-null': (item) => withValueAt(item, ['source_config', 'resource_spec'], null),
  'empty-source-config': (item) => ({ ...item, source_config: {} }),
  'no-image-uri': (item) => without(item, 'source_revision_config', 'image_uri'),
  'empty-revision-config': (item) => ({ ...item, source_revision_config: {} }),
  'no-revision-block': ({ source_revision_config: _block, ...rest }) => rest,
  'extra-fields': (item, state) => ({
    ...item,
    ...state.hidden,
    display_name: state.name.toUpperCase(),
    health: { score: 1, checks: [] },
  }),
};

const LABEL = ['source_config', 'resource_spec', 'labels', 'build'];

const FORMS: Record<ItemForm, (item: WireObject) => WireJson> = {
  readable: (item) => item,
  'big-integer': (item) => withValueAt(item, LABEL, 2 ** 53 + 2),
  'proto-key': (item) => withValueAt(item, ['source_config', 'resource_spec', 'labels', '__proto__'], {}),
  'no-id': ({ id: _id, ...rest }) => rest,
  'no-object': ({ id = null }) => id,
};

function without(item: WireObject, ...path: readonly string[]): WireObject {
  return withValueAt(item, path, undefined);
}
