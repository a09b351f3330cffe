import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import type { Content } from './deployment-state.ts';
import { pathParts, valueAt, withValueAt } from '../values/field-rules.ts';
import { mergedBlock, mergedList } from './merge.ts';
import { isWireObject, listOf, objectOf, textOf } from '../values/wire-values.ts';
import type { KeptSecret } from './secrets-echo.ts';
import type { ServiceSemantics } from '../switches/semantics.ts';

/** The content that a checked PATCH body (4.4) leaves behind. */
export function patchedContent(before: Content, body: WireObject, semantics: ServiceSemantics): Content {
  const patched: Content = {
    sourceConfig: patchedConfig('sourceConfig', { before, sent: body['source_config'] }, semantics),
    revisionConfig: patchedConfig(
      'revisionConfig',
      { before, sent: body['source_revision_config'] },
      semantics,
    ),
    secrets: patchedSecrets(before.secrets, body['secrets'], semantics),
    secretReferences: patchedReferences(before.secretReferences, body['secret_references'], semantics),
  };
  return withIgnoredFields(before, patched, semantics);
}

/** The content that the answer to a PATCH shows: a rule may make it show values that are not kept. */
export function answeredContent(before: Content, body: WireObject, semantics: ServiceSemantics): Content {
  const rules = Object.entries(semantics.fieldRules);
  const fieldRules = Object.fromEntries(rules.filter(([, rule]) => rule !== 'pretended'));
  return patchedContent(before, body, { ...semantics, fieldRules });
}

/** The content that a checked creation body leaves behind: every list and object as it was sent. */
export function createdContent(body: WireObject): Content {
  const references = body['secret_references'];
  return {
    sourceConfig: withoutNulls(objectOf(body['source_config'])),
    revisionConfig: withoutNulls(objectOf(body['source_revision_config'])),
    secrets: keptSecrets(listOf(body['secrets'])),
    secretReferences: Array.isArray(references) ? listOf(references).filter(isWireObject) : null,
  };
}

function patchedConfig(
  block: 'sourceConfig' | 'revisionConfig',
  { before, sent }: { readonly before: Content; readonly sent: WireJson | undefined },
  semantics: ServiceSemantics,
): WireObject {
  if (isWireObject(sent)) return mergedBlock(block, { before: before[block], sent }, semantics);
  return semantics.topLevelOmit === 'cleared' ? {} : before[block];
}

function patchedSecrets(
  before: readonly KeptSecret[],
  sent: WireJson | undefined,
  semantics: ServiceSemantics,
): readonly KeptSecret[] {
  if (!Array.isArray(sent)) return semantics.topLevelOmit === 'cleared' ? [] : before;
  const old: readonly WireJson[] = before.map(({ name, value }) => ({ name, value }));
  return keptSecrets(mergedList(semantics.lists, { before: old, sent: listOf(sent) }, 'name'));
}

function patchedReferences(
  before: readonly WireObject[] | null,
  sent: WireJson | undefined,
  semantics: ServiceSemantics,
): readonly WireObject[] | null {
  if (!Array.isArray(sent)) return semantics.topLevelOmit === 'cleared' ? null : before;
  const edit = { before: before ?? [], sent: listOf(sent) };
  return mergedList(semantics.lists, edit, 'name').filter(isWireObject);
}

function keptSecrets(items: readonly WireJson[]): readonly KeptSecret[] {
  return items.filter(isWireObject).map((item) => ({
    name: textOf(item['name']),
    value: textOf(item['value']),
  }));
}

function withoutNulls(object: WireObject): WireObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Puts back what a rule says is accepted and then forgotten. */
function withIgnoredFields(before: Content, after: Content, semantics: ServiceSemantics): Content {
  return Object.entries(semantics.fieldRules)
    .filter(([, rule]) => rule === 'ignored' || rule === 'pretended')
    .reduce((content, [path]) => {
      const [block, ...rest] = pathParts(path);
      if (block === 'source_config') {
        const old = valueAt(before.sourceConfig, rest);
        return { ...content, sourceConfig: withValueAt(content.sourceConfig, rest, old) };
      }
      if (block === 'source_revision_config') {
        const old = valueAt(before.revisionConfig, rest);
        return { ...content, revisionConfig: withValueAt(content.revisionConfig, rest, old) };
      }
      return block === 'secrets' ? { ...content, secrets: before.secrets } : content;
    }, after);
}
