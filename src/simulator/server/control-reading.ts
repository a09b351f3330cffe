import { defined } from '../../base/defined.ts';
import type { WireJson } from '../../wire/wire-json.ts';
import type { Action } from '../faults/act.ts';
import type { Operation } from '../api/exchange.ts';
import {
  anything,
  byKind,
  count,
  expecting,
  fields,
  type FieldReader,
  flag,
  kind,
  mapOf,
  oneOf,
  optional,
  type Reader,
  readDocument,
  text,
  anyText,
} from '../values/reader.ts';
import type { FailureForm, Fault, PlannedAction, PlannedFault, RequestMatch } from '../faults/scenario.ts';
import { deployment } from './deployment-reading.ts';
import { semanticsPatch } from '../switches/semantics-patch.ts';

/** Reads a request for an immediate action; the path determines its kind. Throws DocumentError. */
export function readAction(which: Exclude<Action['kind'], 'add'>, document: WireJson): Action {
  return readDocument(ACTIONS[which], document);
}

/** Reads an action that waits for a request. Throws DocumentError. */
export function readPlannedAction(document: WireJson): PlannedAction {
  return readDocument(plannedAction, document);
}

/** Reads a fault that waits for a request. Throws DocumentError. */
export function readFault(document: WireJson): PlannedFault {
  return readDocument(plannedFault, document);
}

const deploymentName = (field: FieldReader): string => {
  const id = field('id', optional(text, undefined));
  const name = field('name', optional(text, undefined));
  return field('deployment', (value, path, problems) => {
    const named = value ?? id ?? name;
    return named === undefined ? text(value, path, problems) : text(named, path, problems);
  });
};

const revisionName = expecting(
  'an id of a revision, or a number: 1 is the one before the newest',
  (value): value is string | number => typeof value === 'string' || typeof value === 'number',
  '',
);

const ACTIONS: Record<Action['kind'], Reader<Action>> = {
  push: fields((field) => {
    const build = field('build', optional(flag, undefined));
    return {
      kind: field('kind', kind('push')),
      deployment: deploymentName(field),
      commit: field('commit', text),
      ...defined({ build }),
    };
  }),
  edit: fields((field) => ({
    kind: field('kind', kind('edit')),
    deployment: deploymentName(field),
    path: field('path', text),
    value: field('value', anything),
  })),
  redeploy: fields((field) => ({
    kind: field('kind', kind('redeploy')),
    deployment: deploymentName(field),
    revision: field('revision', optional(revisionName, 1)),
  })),
  delete: fields((field) => ({ kind: field('kind', kind('delete')), deployment: deploymentName(field) })),
  add: fields((field) => ({ kind: field('kind', kind('add')), seed: field('seed', deployment) })),
  switch: fields((field) => {
    const about = field('deployment', optional(text, undefined));
    const seconds = field('seconds', optional(count, undefined));
    return {
      kind: field('kind', kind('switch')),
      semantics: field('semantics', semanticsPatch),
      ...defined({ deployment: about, seconds }),
    };
  }),
};

const OPERATIONS: readonly [Operation, ...Operation[]] = [
  'list',
  'patch',
  'create',
  'get',
  'delete',
  'providers',
  'repositories',
  'other',
];

function matchOf(field: FieldReader): RequestMatch {
  const operation = field('operation', optional(oneOf(OPERATIONS), undefined));
  const method = field('method', optional(text, undefined));
  const path = field('path', optional(text, undefined));
  const about = field('deployment', optional(text, undefined));
  const nth = field('nth', optional(count, undefined));
  return defined({ operation, method, path, deployment: about, nth });
}

const match: Reader<RequestMatch> = fields(matchOf);

/** An item that waits for an answer may require a status of the answer. */
const answeredMatch: Reader<RequestMatch> = fields((field) => {
  const status = field('status', optional(count, undefined));
  return { ...matchOf(field), ...defined({ status }) };
});

const how: Reader<FailureForm> = expecting(
  'a status, "reset" or "hang"',
  (value): value is FailureForm => typeof value === 'number' || value === 'reset' || value === 'hang',
  500,
);

const fault: Reader<Fault> = byKind<Fault>(
  {
    delay: fields((field) => ({ kind: field('kind', kind('delay')), ms: field('ms', count) })),
    hang: fields((field) => ({ kind: field('kind', kind('hang')) })),
    'reset-before': fields((field) => ({ kind: field('kind', kind('reset-before')) })),
    'reset-mid-body': fields((field) => ({ kind: field('kind', kind('reset-mid-body')) })),
    truncate: fields((field) => ({ kind: field('kind', kind('truncate')) })),
    'wrong-type': fields((field) => ({ kind: field('kind', kind('wrong-type')) })),
    status: fields((field) => {
      const headers = field('headers', optional(mapOf(anyText), {}));
      const body = field('body', optional(anyText, undefined));
      return {
        kind: field('kind', kind('status')),
        status: field('status', count),
        headers,
        ...defined({ body }),
      };
    }),
    headers: fields((field) => ({
      kind: field('kind', kind('headers')),
      headers: field('headers', mapOf(anyText)),
    })),
    'apply-then-fail': fields((field) => ({
      kind: field('kind', kind('apply-then-fail')),
      how: field('how', optional(how, 500)),
    })),
    'fail-then-apply-late': fields((field) => ({
      kind: field('kind', kind('fail-then-apply-late')),
      how: field('how', optional(how, 500)),
      afterMs: field('afterMs', count),
    })),
  },
  { kind: 'hang' },
);

/** Reads a fault and its requests, from the control endpoint or from a seed. */
export const plannedFault: Reader<PlannedFault> = fields((field) => ({
  match: field('match', optional(match, {})),
  fault: field('fault', fault),
  times: field('times', optional(count, 1)),
}));

type Side = NonNullable<PlannedAction['when']>;
const side: Reader<Side> = oneOf(['before', 'after']);

/** Reads an action of another client right before or after a request, from the control endpoint or from a seed. */
export const plannedAction: Reader<PlannedAction> = fields((field) => {
  const when = field('when', optional<Side, Side>(side, 'before'));
  return {
    match: field('match', optional(when === 'after' ? answeredMatch : match, {})),
    action: field('action', byKind<Action>(ACTIONS, { kind: 'delete', deployment: '' })),
    when,
    delaySeconds: field('delaySeconds', optional(count, 0)),
    times: field('times', optional(count, 1)),
  };
});
