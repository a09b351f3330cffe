import { FORMAT_VERSION } from '../../src/cli/render/render-data.ts';
import { partOf, readCrd } from '../crd.ts';
import { toTypeSchema } from '../crd-schema.ts';
import { count, flag, type JsonSchema, list, object, oneOf, open, opened, text } from './draft.ts';

/** A document that commands print with `-o json`. */
export interface OutputDocument {
  /** The name of its file. */
  readonly name: string;
  /** The name of its type in src/cli/generated/documents.ts; absent where the program has no such type, and tests alone compare. */
  readonly type?: string;
  readonly schema: JsonSchema;
}

const REASON = text('A reason of docs/conditions.md; later releases may have further ones.');
const MESSAGE = text('The same in words for people. The words may change at any time.');

const ACTIONS = [
  ...['None', 'Create', 'Update', 'Delete', 'Approve', 'Release'],
  ...['Wait', 'Held', 'Error', 'Added', 'Changed', 'Removed'],
];

const ACTION = oneOf(
  'None: nothing is sent. Create, Update, Delete: one request is sent. Approve: one request is sent once a person has approved it. Release: the resource goes and its deployment stays. Wait: the operator continues by itself. Held: a person must change something. Error: the plan could not be made. Added, Changed, Removed: only with --against.',
  ACTIONS,
);

const REVISION = oneOf('Whether the request makes a revision, as far as the service documents it.', [
  'Expected',
  'Possible',
  'None',
]);

const KEY = {
  kind: text('Kind of the resource.'),
  namespace: text('The namespace; empty for a resource of the whole cluster.'),
  name: text('Name of the resource.'),
};

const SUMMARY = object('Counts over all resources; counts of zero are included.', {
  verdict: oneOf(
    'The gravest verdict of all resources: held outranks changes. The exit codes are 1, 2 and 0.',
    ['held', 'changes', 'nothing'],
  ),
  resources: count('The number of all resources.'),
  ...Object.fromEntries(
    ACTIONS.map((action) => [action.toLowerCase(), count(`Resources with the action ${action}.`)]),
  ),
});

const CHANGE = object('A difference. No secret, no command and no content of a list is in it.', {
  path: text('The field, below spec. All secrets together are one field.'),
  from: text(
    'The value that the service shows, shortened for people. A text in round brackets is not a value.',
  ),
  to: text('The value that the resource asks for, shortened likewise.'),
  revision: REVISION,
  drift: flag(
    'True if the value changed at the service since it was last applied, false if the spec changed.',
  ),
});

const PLANNED = object(
  'The plan for one resource.',
  {
    ...KEY,
    action: ACTION,
    sends: flag('True if a request would be sent, now or later.'),
    message: MESSAGE,
    changes: list('All differences, sent or not.', CHANGE),
    withheld: list(
      'Parts that are held back while the rest may be sent.',
      object('A part and the reason.', {
        path: text('The field, below spec.'),
        reason: REASON,
        message: MESSAGE,
      }),
    ),
    unknown: list(
      'Fields that cannot be judged before they are sent.',
      object('A field and the reason.', { path: text('The field, below spec.'), why: MESSAGE }),
    ),
  },
  {
    deploymentID: text('The id of the deployment, if it exists.'),
    reason: REASON,
    revision: object('Whether the request makes a revision.', { expected: REVISION, why: MESSAGE }),
    approval: text('The value of the annotation dms-operator.dev/approve that approves this plan.'),
    request: object(
      'With --detailed: the request, without values of secrets.',
      {
        method: oneOf('The HTTP method.', ['PATCH', 'POST', 'DELETE']),
        path: text('The path below spec.baseURL of the connection.'),
      },
      { body: open('The body as the service receives it.') },
    ),
  },
);

const GROUP = object(
  'Resources with the same plan.',
  {
    count: count('The number of resources.'),
    action: ACTION,
    drift: flag(
      'True if the value changed at the service since it was last applied, false if the spec changed.',
    ),
    resources: list('The resources.', object('A resource.', KEY)),
  },
  {
    reason: REASON,
    path: text('The field; absent if the line is about the whole resource.'),
    from: text('The part of the old value that differs. The common beginning is left out.'),
    to: text('The part of the new value that differs.'),
  },
);

const APPLIED = object('The result for one resource.', {
  ...KEY,
  result: oneOf(
    'settled: all is done. waiting: it goes on by itself. held: it waits for a person. failed: a person must change something.',
    ['settled', 'waiting', 'held', 'failed'],
  ),
  reason: REASON,
  message: MESSAGE,
});

const PROBLEM = object(
  'An error in a manifest, or a warning.',
  {
    file: text('The path of the file; - for standard input.'),
    path: text('The field; empty if the problem concerns the document or the file.'),
    message: text('Describes the problem for people.'),
    expected: text('Describes the expected value; may be empty.'),
    severity: oneOf('Errors fail the command.', ['error', 'warning']),
  },
  { line: count('Counted from 1.'), column: count('Counted from 1, in code units of UTF-16.') },
);

const STANDING = object(
  'The state of one resource, as the controller last recorded it. Unknown values are absent.',
  {
    namespace: KEY.namespace,
    name: KEY.name,
    paused: flag('True if nothing is sent for the resource until it is resumed.'),
    source: text('spec.source.'),
  },
  {
    ready: oneOf('The condition Ready.', ['True', 'False', 'Unknown']),
    synced: oneOf('The condition Synced.', ['True', 'False', 'Unknown']),
    reason: text('The reason of Ready, from docs/conditions.md. Later releases may add reasons.'),
    message: text('The message of Ready, for people.'),
    serviceStatus: text('The status that the service shows.'),
    imageOrRef: text('The image, branch, tag or archive of the newest revision.'),
    deploymentID: text('The id of the deployment that the resource is bound to.'),
    activeRevisionID: text('The active revision.'),
    latestRevisionID: text('The newest revision.'),
    lastChangeTime: text('The time of the last change of a condition, such as 2026-03-01T12:00:00Z.'),
  },
);

const LISTED = object(
  'A deployment as the service shows it. What is empty or not shown is absent.',
  { id: text('The id.'), name: text('The name.') },
  {
    source: text('As spec.source.'),
    status: text('The status that the service shows.'),
    tenantID: text('The id of the tenant.'),
    imageVersion: text('As the service shows it.'),
    latestRevisionID: text('The newest revision.'),
    activeRevisionID: text('The active revision.'),
    createdTime: text('As the service shows it.'),
    updatedTime: text('As the service shows it.'),
    sourceConfig: open(
      'As spec.sourceConfig. Commands and other fields that may contain a token are hidden.',
    ),
    sourceRevisionConfig: open('As spec.sourceRevisionConfig, and repoCommitSHA.'),
    secretNames: list('The names of the secrets. No command shows a value.', text('A name.')),
    secretReferences: list('As spec.secretReferences.', open('A reference.')),
  },
);

const REPOSITORY = object('A repository that the integration reaches.', {
  integrationID: text('The code-host integration.'),
  owner: text('Owner of the repository.'),
  name: text('Name of the repository.'),
  url: text('The address.'),
  defaultBranch: text('The default branch.'),
});

const PROVIDER = object(
  'An OAuth provider, without client ids and addresses.',
  {
    id: text('The id.'),
    providerID: text('The id to use in spec.requiredOAuthProviders.'),
    name: text('The name.'),
  },
  { type: text('The type, if the service shows one.') },
);

const SAID = object(
  'The result for one resource.',
  {
    namespace: KEY.namespace,
    name: KEY.name,
    result: text('Describes for people what was done, or why nothing was done. Programs use the exit code.'),
  },
  {
    file: text('The manifest that was edited, with --dir.'),
    line: count('The line of the edit, counted from 1.'),
  },
);

const VERSION: JsonSchema = {
  const: FORMAT_VERSION,
  description:
    'The format of the document. Members may be added under the same version; it moves when a member is renamed, removed or means something else.',
};

function document(
  name: string,
  title: string,
  members: Readonly<Record<string, JsonSchema>>,
): OutputDocument {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { type: `${words.join('')}Document`, ...untyped(name, title, members) };
}

function untyped(name: string, title: string, members: Readonly<Record<string, JsonSchema>>): OutputDocument {
  return { name, schema: object(title, { formatVersion: VERSION, ...members }) };
}

/** Returns every document that a command prints with `-o json`, except SARIF, which has its own schema. */
export async function outputDocuments(): Promise<readonly OutputDocument[]> {
  return [
    document('plan', 'What `plan -o json` prints.', {
      summary: SUMMARY,
      resources: list('The plan for each resource.', PLANNED),
    }),
    document('plan-groups', 'What `plan --group -o json` prints.', {
      summary: SUMMARY,
      groups: list(
        'Groups of changes, the largest first. Resources without a change belong to no group.',
        GROUP,
      ),
    }),
    document('apply', 'What `apply -o json` prints.', {
      summary: object('Counts over all resources; counts of zero are included.', {
        resources: count('The number of all resources.'),
        settled: count('Resources with the result settled.'),
        waiting: count('Resources with the result waiting.'),
        held: count('Resources with the result held.'),
        failed: count('Resources with the result failed.'),
      }),
      resources: list('The result for each resource.', APPLIED),
    }),
    document('validate', 'What `validate -o json` prints.', {
      ok: flag('True if there is no error.'),
      problems: list('All errors and warnings.', PROBLEM),
      undeclared: list('Objects that a document names and no document declares.', object('A key.', KEY)),
      usable: count('The number of usable documents.'),
      ignored: count('The number of documents of other kinds.'),
    }),
    document('status', 'What `status -o json` prints.', {
      resources: list('The state of each resource.', STANDING),
    }),
    // Made from the table of fields.
    untyped('get-deployments', 'What `get deployments -o json` prints.', {
      items: list('The deployments at the service.', LISTED),
    }),
    document('get-repositories', 'What `get repositories -o json` prints.', {
      items: list('The repositories that an integration can reach.', REPOSITORY),
    }),
    document('get-providers', 'What `get providers -o json` prints.', {
      items: list('OAuth providers that the service has.', PROVIDER),
    }),
    document('verbs', 'What `pause`, `resume`, `reconcile`, `redeploy` and `approve` print with `-o json`.', {
      resources: list('The resources that the command reports on.', SAID),
    }),
    { name: 'describe', schema: await described() },
  ];
}

/** The resource itself, which says by its apiVersion which format it has. */
async function described(): Promise<JsonSchema> {
  const crd = await readCrd('deployments');
  const { group, version, kind } = crd;
  const status = opened(toTypeSchema(partOf(crd, 'status')));
  const texts = { type: 'object', additionalProperties: { type: 'string' } };
  return object(
    'What `describe -o json` prints: the resource, and what to do.',
    {
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: object(
        'The metadata that people need.',
        { name: KEY.name },
        {
          namespace: text('The namespace.'),
          generation: count('The generation, which counts changes of the spec.'),
          labels: { ...texts, description: 'The labels.' },
          annotations: { ...texts, description: 'The annotations, except those that kubectl maintains.' },
        },
      ),
      spec: open('The declared spec. Commands and other fields that may contain a token are hidden.'),
      next: list(
        'What to do, the gravest problem first; empty if all is well.',
        object('A reason that a person should know of.', {
          reason: REASON,
          message: MESSAGE,
          means: text('The meaning, from docs/conditions.md.'),
          todo: text('The advice, from docs/conditions.md.'),
        }),
      ),
    },
    {
      status: {
        description: 'The status as the controller wrote it; absent before its first pass.',
        ...status,
      },
    },
  );
}
