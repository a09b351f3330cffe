import type { WireJson, WireObject } from '../../wire/wire-json.ts';
import { emptyAnswer, jsonAnswer, type SimulatedAnswer } from './exchange.ts';
import type { PatchEcho } from '../switches/semantics.ts';
import { isWireObject } from '../values/wire-values.ts';

/** Returns the answer to a write, from the deployment as the service showed it before and shows it after the write. */
export function echoed(
  echo: PatchEcho,
  shown: { readonly before: WireObject; readonly after: WireObject },
  body: WireObject,
): SimulatedAnswer {
  return ECHO[echo](shown, body);
}

type Echo = (
  shown: { readonly before: WireObject; readonly after: WireObject },
  body: WireObject,
) => SimulatedAnswer;

/** The blocks of a deployment that a write may contain, each with its empty value. */
const EMPTY_BLOCKS: WireObject = {
  source_config: {},
  source_revision_config: {},
  secrets: [],
  secret_references: null,
};

/** The keys of the deployment itself, which every answer with a body contains. */
const IDENTITY: readonly string[] = ['id', 'name', 'updated_at'];

const ECHO: Record<PatchEcho, Echo> = {
  post: ({ after }) => jsonAnswer(200, after),
  pre: ({ before }) => jsonAnswer(200, before),
  partial: ({ after }, body) => jsonAnswer(200, sentBlocks(after, body)),
  'some-blocks': ({ after }, body) =>
    jsonAnswer(200, { ...after, ...EMPTY_BLOCKS, ...sentBlocks(after, body) }),
  'sent-keys': ({ after }, body) => jsonAnswer(200, { ...after, ...sentParts(after, body) }),
  'sent-only': ({ after }, body) => jsonAnswer(200, sentParts(after, body)),
  'empty-204': () => emptyAnswer(204),
  'empty-202': () => emptyAnswer(202),
};

function sentBlocks(after: WireObject, body: WireObject): WireObject {
  const kept = Object.entries(after).filter(([key]) => IDENTITY.includes(key) || key in body);
  return Object.fromEntries(kept);
}

/** Returns, of each block that was sent, the part that repeats it. */
function sentParts(after: WireObject, body: WireObject): WireObject {
  const kept = Object.entries(sentBlocks(after, body)).map(([key, value]) => [key, part(value, body[key])]);
  return Object.fromEntries(kept) as WireObject;
}

/** Returns the keys that were sent, at any depth; of a list with names, the elements with the sent names. */
function part(shown: WireJson, sent: WireJson | undefined): WireJson {
  if (Array.isArray(shown) && Array.isArray(sent)) {
    const names = new Set((sent as readonly WireJson[]).map(nameIn));
    return (shown as readonly WireJson[]).filter((item) => names.has(nameIn(item)));
  }
  if (!isWireObject(shown) || !isWireObject(sent)) return shown;
  const kept = Object.entries(shown).filter(([key]) => Object.hasOwn(sent, key));
  return Object.fromEntries(kept.map(([key, value]) => [key, part(value, sent[key])]));
}

function nameIn(item: WireJson): WireJson | undefined {
  return isWireObject(item) ? item['name'] : item;
}
