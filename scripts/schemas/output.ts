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
const MESSAGE = text('The same in words for people, which may change at any time.');

const ACTIONS = [
  ...['None', 'Create', 'Update', 'Delete', 'Approve', 'Release'],
  ...['Wait', 'Held', 'Error', 'Added', 'Changed', 'Removed'],
];

const ACTION = oneOf(
  'None: nothing is sent. Create, Update, Delete: one request. Approve: one, once a person has approved it. Release: it is let go, and its deployment stays. Wait: it goes on by itself. Held: a person must change something. Error: it could not be found out. Added, Changed, Removed: only with --against.',
  ACTIONS,
);

const REVISION = oneOf('Whether it makes a revision, as far as the service says.', [
  'Expected',
  'Possible',
  'None',
]);

const KEY = {
  kind: text('Kind of the resource.'),
  namespace: text('Empty for what belongs to the whole cluster.'),
  name: text('Name of the resource.'),
};

const SUMMARY = object('Counts over all resources; a count that is zero stands there too.', {
  verdict: oneOf('The gravest that is among them: held outranks changes. The exit codes are 1, 2 and 0.', [
    'held',
    'changes',
    'nothing',
  ]),
  resources: count('Resources in all.'),
  ...Object.fromEntries(
    ACTIONS.map((action) => [action.toLowerCase(), count(`Resources with the action ${action}.`)]),
  ),
});

const CHANGE = object('A difference. No secret, no command and no content of a list is in it.', {
  path: text('The field, below spec; secrets are one field.'),
  from: text('What the service shows, shortened for people; a text in round brackets is no value.'),
  to: text('What the resource asks for, likewise.'),
  revision: REVISION,
  drift: flag('The service was changed since it was last applied; otherwise the spec was.'),
});

const PLANNED = object(
  'What becomes of one resource.',
  {
    ...KEY,
    action: ACTION,
    sends: flag('Something would be sent, now or when what it waits for has come.'),
    message: MESSAGE,
    changes: list('Every difference, whether it is sent or not.', CHANGE),
    withheld: list(
      'Parts that are not sent although the rest may be.',
      object('A part and why.', { path: text('The field, below spec.'), reason: REASON, message: MESSAGE }),
    ),
    unknown: list(
      'What cannot be judged before it is sent.',
      object('A field and why.', { path: text('The field, below spec.'), why: MESSAGE }),
    ),
  },
  {
    deploymentID: text('The deployment that it means, where there is one.'),
    reason: REASON,
    revision: object('Whether the request makes a revision.', { expected: REVISION, why: MESSAGE }),
    approval: text('What the annotation dms-operator.dev/approve must hold to have it sent.'),
    request: object(
      'With --detailed: the request, without values of secrets.',
      {
        method: oneOf('The verb of HTTP.', ['PATCH', 'POST', 'DELETE']),
        path: text('Below spec.baseURL of the connection.'),
      },
      { body: open('The body, in the words of the service.') },
    ),
  },
);

const GROUP = object(
  'Resources to which the same happens.',
  {
    count: count('How many they are.'),
    action: ACTION,
    drift: flag('The service was changed since it was last applied; otherwise the spec was.'),
    resources: list('Which they are.', object('A resource.', KEY)),
  },
  {
    reason: REASON,
    path: text('The field; absent for what concerns the resource as a whole.'),
    from: text('What differs of the value before; the beginning that both have in common is left out.'),
    to: text('What differs of the value after.'),
  },
);

const APPLIED = object('How one resource ended.', {
  ...KEY,
  result: oneOf(
    'settled: all is done. waiting: it goes on by itself. held: it waits for a person. failed: a person must change something.',
    ['settled', 'waiting', 'held', 'failed'],
  ),
  reason: REASON,
  message: MESSAGE,
});

const PROBLEM = object(
  'Something that is wrong with a manifest, or may be.',
  {
    file: text('The file as it was named or found; - for standard input.'),
    path: text('The field; empty where it is about the document or the file.'),
    message: text('What is wrong, for people.'),
    expected: text('What is expected instead; may be empty.'),
    severity: oneOf('Errors fail the command.', ['error', 'warning']),
  },
  { line: count('Counted from 1.'), column: count('Counted from 1, in code units of UTF-16.') },
);

const STANDING = object(
  'How one resource is, as the controller last wrote it down. What is not known, or not there, is absent.',
  {
    namespace: KEY.namespace,
    name: KEY.name,
    paused: flag('Nothing is sent for it until it is resumed.'),
    source: text('spec.source.'),
  },
  {
    ready: oneOf('The condition Ready.', ['True', 'False', 'Unknown']),
    synced: oneOf('The condition Synced.', ['True', 'False', 'Unknown']),
    reason: text('The reason of Ready, of docs/conditions.md; later releases may have further ones.'),
    message: text('The message of Ready, for people.'),
    serviceStatus: text('The status that the service shows.'),
    imageOrRef: text('The image, branch, tag or archive of the newest revision.'),
    deploymentID: text('The deployment that it is bound to.'),
    activeRevisionID: text('The revision that serves.'),
    latestRevisionID: text('The newest revision.'),
    lastChangeTime: text('When a condition last changed, as 2026-03-01T12:00:00Z.'),
  },
);

const LISTED = object(
  'A deployment as the service shows it. What is empty or not shown is absent.',
  { id: text('Its id.'), name: text('Its name.') },
  {
    source: text('As spec.source.'),
    status: text('The status that the service shows.'),
    tenantID: text('The tenant that it belongs to.'),
    imageVersion: text('As the service shows it.'),
    latestRevisionID: text('The newest revision.'),
    activeRevisionID: text('The revision that serves.'),
    createdTime: text('As the service shows it.'),
    updatedTime: text('As the service shows it.'),
    sourceConfig: open('As spec.sourceConfig; commands and whatever else may hold a token are hidden.'),
    sourceRevisionConfig: open('As spec.sourceRevisionConfig, and repoCommitSHA.'),
    secretNames: list('Names of its secrets; no command shows a value.', text('A name.')),
    secretReferences: list('As spec.secretReferences.', open('A reference.')),
  },
);

const REPOSITORY = object('A repository that the integration reaches.', {
  integrationID: text('The code-host integration.'),
  owner: text('Owner of the repository.'),
  name: text('Name of the repository.'),
  url: text('Where it is.'),
  defaultBranch: text('Its usual branch.'),
});

const PROVIDER = object(
  'An OAuth provider, without client ids and addresses.',
  {
    id: text('Its id.'),
    providerID: text('What spec.requiredOAuthProviders may name.'),
    name: text('Its name.'),
  },
  { type: text('Its type, where the service shows one.') },
);

const SAID = object(
  'What came of it for one resource.',
  {
    namespace: KEY.namespace,
    name: KEY.name,
    result: text('What was done, or why nothing was, for people. The exit code is for programs.'),
  },
  {
    file: text('The manifest that was edited, with --dir.'),
    line: count('The line in it, from 1 on.'),
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
      resources: list('What becomes of each.', PLANNED),
    }),
    document('plan-groups', 'What `plan --group -o json` prints.', {
      summary: SUMMARY,
      groups: list('What happens, the largest group first; what stays as it is stands in none.', GROUP),
    }),
    document('apply', 'What `apply -o json` prints.', {
      summary: object('Counts over all resources; a count that is zero stands there too.', {
        resources: count('Resources in all.'),
        settled: count('Resources with the result settled.'),
        waiting: count('Resources with the result waiting.'),
        held: count('Resources with the result held.'),
        failed: count('Resources with the result failed.'),
      }),
      resources: list('How each ended.', APPLIED),
    }),
    document('validate', 'What `validate -o json` prints.', {
      ok: flag('There is no error.'),
      problems: list('Everything that is wrong, or may be.', PROBLEM),
      undeclared: list('What is named, and declared by no document that was read.', object('A key.', KEY)),
      usable: count('Documents that can be used.'),
      ignored: count('Documents of kinds that are none of ours.'),
    }),
    document('status', 'What `status -o json` prints.', {
      resources: list('How each stands.', STANDING),
    }),
    // Made from the table of fields.
    untyped('get-deployments', 'What `get deployments -o json` prints.', {
      items: list('Deployments that the service has.', LISTED),
    }),
    document('get-repositories', 'What `get repositories -o json` prints.', {
      items: list('Repositories that an integration reaches.', REPOSITORY),
    }),
    document('get-providers', 'What `get providers -o json` prints.', {
      items: list('OAuth providers that the service has.', PROVIDER),
    }),
    document('verbs', 'What `pause`, `resume`, `reconcile`, `redeploy` and `approve` print with `-o json`.', {
      resources: list('Those of which something was to be said.', SAID),
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
    'What `describe -o json` prints: the resource, and what to do about it.',
    {
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: object(
        'What of its metadata people ask for.',
        { name: KEY.name },
        {
          namespace: text('Its namespace.'),
          generation: count('Counts changes of the spec.'),
          labels: { ...texts, description: 'Its labels.' },
          annotations: { ...texts, description: 'Its annotations, without what kubectl keeps there.' },
        },
      ),
      spec: open('As it was declared; commands and whatever else may hold a token are hidden.'),
      next: list(
        'What to do, the gravest first; empty where all is well.',
        object('A reason that a person should know of.', {
          reason: REASON,
          message: MESSAGE,
          means: text('What docs/conditions.md says of it.'),
          todo: text('What docs/conditions.md says to do.'),
        }),
      ),
    },
    { status: { description: 'As the controller wrote it; absent before it has looked.', ...status } },
  );
}
