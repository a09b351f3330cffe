import { DEFAULT_TENANT } from '../../src/simulator/state/world.ts';
import type { WireObject } from '../../src/wire/wire-json.ts';
import { Facts } from '../support/oracle/facts.ts';
import { type Rogue, TENANT_HEADER } from '../support/oracle/rogue.ts';
import { learns } from './lesson-stories.ts';
import { listsFor, type Story } from './story.ts';

const OTHER_TENANT = '00000000-0000-4000-8000-00000000000b';
const URL_PATH = 'source_config.custom_url';
const ONE = 'https://one.example.com';
const TWO = 'https://two.example.com';
const CREATION = { creation: { policy: 'IfMissing' } } as const;

const BY_TENANT = { semantics: { auth: { kind: 'tenant-header', name: TENANT_HEADER } } } as const;
const TWICE = { semantics: { duplicateNames: 'allowed' } } as const;
const LATE = {
  semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'empty-204', listLag: { seconds: 10 } },
} as const;
const LATE_COMMITS = {
  deployments: [{ name: 'x', source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
  semantics: { topLevelOmit: 'cleared', normalise: ['ref-to-sha'], trigger: 'never', patchEcho: 'empty-202' },
} as const;

const PRETENDED = {
  semantics: { fieldRules: { [URL_PATH]: 'pretended' }, listShape: ['empty-source-config'] },
} as const;
const PINNED = {
  deployments: [
    {
      name: 'x',
      source: 'codehost',
      sourceConfig: { repo_url: 'https://code.example.com/agent' },
      revisionConfig: { repo_ref: '0123456789abcdef0123456789abcdef01234567' },
    },
  ],
  semantics: { normalise: ['ref-to-sha'] },
} as const;
const TOKEN = { name: 'TOKEN', value: 'value-of-the-token' };
const OTHER = { name: 'OTHER', value: 'value-of-the-other' };
const IMAGES = { two: 'r.example.com/agent:2', three: 'r.example.com/agent:3' } as const;
const LATE_WITHOUT_IMAGES = {
  deployments: [{ name: 'x', sourceConfig: { custom_url: ONE }, secrets: [OTHER] }],
  semantics: {
    topLevelOmit: 'cleared',
    patchEcho: 'empty-204',
    listShape: ['no-revision-block'],
    listLag: { seconds: 10 },
  },
} as const;
const TWO_SECRETS = {
  deployments: [{ name: 'x', secrets: [TOKEN, OTHER] }],
  semantics: { lists: 'merge-by-name' },
} as const;

/** Scenarios in which lists do not show the state of another client, tenant or address. */
export const UNSEEN_STORIES: readonly Story[] = [
  {
    excuse: 'lists leave out what they showed',
    given: TWICE,
    play: (rogue) => createsTwice(rogue, () => rogue.world.become({ listShows: 'nothing' })),
    otherwise: (rogue) => createsTwice(rogue),
  },
  {
    excuse: 'lists leave out what they showed',
    given: TWICE,
    play: (rogue) => createsUnanswered(rogue, 61),
    otherwise: (rogue) => createsUnanswered(rogue, 30),
  },
  {
    excuse: 'lists leave out what they showed',
    given: TWICE,
    play: (rogue) => createsUnlisted(rogue, 1),
    otherwise: (rogue) => createsUnlisted(rogue),
  },
  {
    excuse: 'lists leave out what they showed',
    given: TWICE,
    play: (rogue) => createsUnlisted(rogue, 0),
    otherwise: (rogue) => createsUnlisted(rogue),
  },
  {
    excuse: 'lists leave out what they showed',
    given: TWICE,
    play: (rogue) => createsWithinAPass(rogue, 1),
    otherwise: (rogue) => createsWithinAPass(rogue, 2),
  },
  {
    excuse: 'another address is another service',
    given: TWICE,
    play: (rogue) =>
      createsTwice(rogue, () => rogue.world.connect({ baseURL: 'https://moved.example.com/api' })),
    otherwise: (rogue) => createsTwice(rogue),
  },
  {
    excuse: 'an empty list names no tenant',
    given: BY_TENANT,
    play: createsInTheOtherTenant,
    otherwise: { ...BY_TENANT, deployments: [{ name: 'x' }, { name: 'y', tenantID: OTHER_TENANT }] },
  },
  {
    excuse: 'edited after the last look',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' } } },
    play: (rogue) => keepsTheirURL(rogue, 'before'),
    otherwise: (rogue) => keepsTheirURL(rogue, 'after'),
  },
  {
    excuse: 'edited after the last look',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' }, listLag: { seconds: 20 } } },
    play: (rogue) => keepsTheirURL(rogue, 'before', [TWO, TWO]),
    otherwise: (rogue) => keepsTheirURL(rogue, 'before', ['https://four.example.com', TWO]),
  },
  {
    excuse: 'edited after the last look',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' } } },
    play: (rogue) => keepsTheirURL(rogue, 'seen before a restart'),
    otherwise: (rogue) => keepsTheirURL(rogue, 'seen after a restart'),
  },
  {
    excuse: 'edited after the last look',
    given: { semantics: { listShape: ['no-resource-spec'] } },
    play: carriesARemovedLabel,
    otherwise: {},
  },
  {
    excuse: 'edited after the last look',
    play: (rogue) => overwritesTheCommand(rogue, 'within the pass'),
    otherwise: (rogue) => overwritesTheCommand(rogue, 'after it'),
  },
  {
    excuse: 'edited after the last look',
    play: (rogue) => overwritesTheCommand(rogue, 'as it ends'),
    otherwise: (rogue) => overwritesTheCommand(rogue, 'after it'),
  },
  {
    excuse: 'edited after the last look',
    play: (rogue) => overwritesTheCommand(rogue, 'as it ends'),
    otherwise: (rogue) => overwritesTheCommand(rogue, 'as the first pass of a process ends'),
  },
  {
    excuse: 'edited after the last look',
    play: (rogue) => overwritesTheCommand(rogue, 'as it ends'),
    otherwise: (rogue) => overwritesTheCommand(rogue, 'as it ends long after the last one'),
  },
  {
    excuse: 'edited after the last look',
    play: asksForWhatTheySet,
    otherwise: (rogue) => asksForWhatTheySet(rogue, { lists: 1 }),
  },
  {
    excuse: 'edited after the last look',
    play: asksForWhatTheySet,
    otherwise: (rogue) => asksForWhatTheySet(rogue, { learned: 'nothing' }),
  },
  {
    excuse: 'edited after the last look',
    play: asksForWhatTheySet,
    otherwise: (rogue) => asksForWhatTheySet(rogue, { seconds: 80 }),
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { nested: { sourceConfig: 'replace' }, listLag: { seconds: 80 } } },
    play: losesARestoredCommand,
    otherwise: { semantics: { nested: { sourceConfig: 'replace' }, listLag: { seconds: 20 } } },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: (rogue) => repeatsTheURL(rogue, 'within the pass'),
    otherwise: (rogue) => repeatsTheURL(rogue, 'after it'),
  },
  {
    excuse: 'no look has shown it',
    play: (rogue) => readyWhileAPersonEdits(rogue, 'within the pass'),
    otherwise: (rogue) => readyWhileAPersonEdits(rogue, 'after it'),
  },
  {
    excuse: 'no look has shown it',
    given: { semantics: { listShape: ['empty-source-config'] } },
    play: sendsBackAsAnswered,
    otherwise: {},
  },
  {
    excuse: 'no look has shown it',
    given: { semantics: { listLag: { seconds: 20 } } },
    play: sendsBackAfterASlowLook,
    otherwise: {},
  },
  {
    excuse: 'the answer shows it as kept',
    given: PRETENDED,
    play: (rogue) => claimsWhatAnAnswerDenied(rogue, true),
    otherwise: (rogue) => claimsWhatAnAnswerDenied(rogue, false),
  },
  {
    excuse: 'no look has shown it',
    given: PRETENDED,
    play: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'dies'),
    otherwise: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'records it'),
  },
  {
    excuse: 'no look has shown it',
    given: PRETENDED,
    play: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'dies'),
    otherwise: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'records it and dies'),
  },
  {
    excuse: 'no look has shown it',
    given: PRETENDED,
    play: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'dies'),
    otherwise: (rogue) => claimsWhatADyingProcessWasAnswered(rogue, 'dies later'),
  },
  {
    excuse: 'the outcome was unknown',
    given: TWO_SECRETS,
    play: (rogue) => keepsTheOther(rogue, TOKEN.value),
    otherwise: (rogue) => keepsTheOther(rogue, 'another-value'),
  },
  {
    excuse: 'somebody else did the same',
    given: PINNED,
    play: (rogue) => claimsAnAnnouncedBranch(rogue, true),
    otherwise: (rogue) => claimsAnAnnouncedBranch(rogue, false),
  },
  {
    excuse: 'somebody else did the same',
    given: LATE,
    play: (rogue) => emptiesTheCommand(rogue, TWO),
    otherwise: (rogue) => emptiesTheCommand(rogue, 'https://three.example.com'),
  },
  {
    excuse: 'somebody else did the same',
    given: LATE_WITHOUT_IMAGES,
    play: (rogue) => emptiesTheSecret(rogue, IMAGES.two),
    otherwise: (rogue) => emptiesTheSecret(rogue, IMAGES.three),
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: LATE_COMMITS,
    play: (rogue) => putsBackALateCommit(rogue, {}),
    otherwise: (rogue) => putsBackALateCommit(rogue, { firstShows: 'the branch' }),
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: LATE_COMMITS,
    play: (rogue) => putsBackALateCommit(rogue, {}),
    otherwise: (rogue) => putsBackALateCommit(rogue, { firstShows: 'the push', lagS: 40 }),
  },
];

/**
 * Plays this scenario: a list shows a branch as its commit, and a push follows. A request empties the branch. A list
 * with a lag shows the commit of the push, and another request puts that back.
 */
async function putsBackALateCommit(
  rogue: Rogue,
  { firstShows, lagS = 20 }: { readonly firstShows?: 'the branch' | 'the push'; readonly lagS?: number },
): Promise<void> {
  rogue.bind({ source: 'codehost', sourceConfig: { installCommand: 'npm ci' } });
  await rogue.world.pass(60);
  if (firstShows === 'the branch') rogue.world.become({ normalise: [] });
  if (firstShows !== 'the push') await rogue.list();
  rogue.world.become({ normalise: ['ref-to-sha'] });
  rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  if (firstShows === 'the push') await rogue.list();
  await rogue.world.pass(15);
  await rogue.patch({ source_config: { install_command: 'npm ci' } });
  await rogue.world.pass(10);
  rogue.world.become({ listLag: { seconds: lagS } });
  await rogue.list();
  const [late] = new Facts(rogue.world.chronicle).looksAt(rogue.world.kept('x').id).slice(-1);
  const commit = late?.leaves.get('source_revision_config.repo_ref') ?? null;
  await rogue.world.pass(60);
  await rogue.list();
  await rogue.patch({ source_revision_config: { repo_ref: commit } });
}

/**
 * Plays this scenario: the answer to a write shows the command. A person removes the command, and one list later a
 * whole body carries it.
 */
async function sendsBackAsAnswered(rogue: Rogue): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } }, { observedGeneration: 1 });
  await rogue.world.pass(60);
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.list();
  await rogue.world.pass(60);
  rogue.world.editAtService('source_config.install_command', null, 'x');
  await rogue.world.pass(60);
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.patch({ source_config: { custom_url: TWO, install_command: 'npm ci' } });
}

/** Plays this scenario: a person removes the command, a read takes 12 seconds, and a whole body carries the command. */
async function sendsBackAfterASlowLook(rogue: Rogue): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } }, { observedGeneration: 1 });
  await rogue.world.pass(60);
  await rogue.list();
  rogue.world.editAtService('source_config.install_command', null, 'x');
  await rogue.world.pass(2);
  rogue.world.fault({ kind: 'delay', ms: 12_100 }, { match: { operation: 'list' } });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO, install_command: 'npm ci' } });
}

/**
 * Plays this scenario: another client sets a URL just before our writes of other URLs, which the service ignores, or
 * minutes later. In between, a list may show that URL to the process that sends them, or only to an earlier one.
 */
async function keepsTheirURL(
  rogue: Rogue,
  when: 'before' | 'after' | 'seen before a restart' | 'seen after a restart',
  urls: readonly [string, ...string[]] = [TWO],
): Promise<void> {
  const edit = (): void => rogue.world.editAtService(URL_PATH, 'https://three.example.com', 'x');
  rogue.bind({ sourceConfig: { customURL: urls[0] } });
  await rogue.world.pass(60);
  await rogue.list();
  if (when !== 'after') edit();
  await rogue.world.pass(1);
  if (when === 'seen before a restart') await rogue.list();
  if (when.startsWith('seen')) rogue.world.chronicle.started();
  if (when === 'seen after a restart') await rogue.list();
  for (const custom_url of urls) {
    rogue.world.apply({ deploymentRef: { name: 'x' }, sourceConfig: { customURL: custom_url } }, 'x');
    await rogue.patch({ source_config: { custom_url } });
    await rogue.list();
    rogue.claimReady(rogue.world.resource('x').metadata.generation ?? 0);
    await listsFor(rogue, 2);
  }
  if (when === 'after') edit();
  await listsFor(rogue, 8);
}

/** Plays this scenario: an answer shows a label. A person removes it, and a write after the next list carries it again. */
async function carriesARemovedLabel(rogue: Rogue): Promise<void> {
  const writes = async (cpu: number): Promise<void> => {
    rogue.bind({ sourceConfig: { resourceSpec: { cpu } } }, { observedGeneration: cpu });
    await rogue.patch({ source_config: { resource_spec: { cpu, labels: { team: 'theirs' } } } });
  };
  rogue.world.editAtService('source_config.resource_spec.labels', { team: 'theirs' }, 'x');
  await rogue.list();
  await writes(1);
  await rogue.world.pass(8);
  rogue.world.editAtService('source_config.resource_spec.labels', null, 'x');
  await rogue.list();
  await rogue.world.pass(0.001);
  await writes(2);
}

type Moment =
  | 'within the pass'
  | 'as it ends'
  | 'as it ends long after the last one'
  | 'as the first pass of a process ends'
  | 'after it';

/**
 * Plays this scenario: a write empties the command, and the next one restores it, since lists still show it. A list that
 * shows the state between them lacks it, and so does the third write.
 */
async function losesARestoredCommand(rogue: Rogue): Promise<void> {
  let observedGeneration = 0;
  const writes = async (url: string, fields: WireObject = {}): Promise<void> => {
    observedGeneration += 1;
    rogue.bind({ sourceConfig: { customURL: url } }, { observedGeneration });
    await rogue.patch({ source_config: { custom_url: url, ...fields } });
  };
  await rogue.world.pass(100);
  await rogue.list();
  await writes(TWO);
  await rogue.world.pass(70);
  await rogue.list();
  await writes('https://three.example.com', { install_command: 'npm ci' });
  await rogue.world.pass(30);
  await rogue.list();
  await writes('https://four.example.com');
  await listsFor(rogue, 10);
}

/** Plays a write of an old value after a page that shows an edit: before the last page of that pass, as it ends, or later. */
async function overwritesTheCommand(rogue: Rogue, when: Moment): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.world.pass(60);
  await rogue.list();
  if (when === 'as it ends long after the last one') await rogue.world.pass(60);
  if (when === 'as the first pass of a process ends') rogue.world.chronicle.started();
  rogue.world.editAtService('source_config.install_command', 'theirs', 'x');
  await rogue.page(0);
  if (when !== 'within the pass') await rogue.page(2);
  if (when === 'after it') await rogue.world.pass(0.001);
  await rogue.patch({ source_config: { custom_url: TWO, install_command: 'npm ci' } });
  await rogue.world.pass(1);
  await rogue.page(when === 'within the pass' ? 2 : 0);
}

/**
 * Plays this scenario: lists show a URL, then that of a write. Another client sets the first one again. Half a minute
 * later, with lists in between or without, a write asks for it too.
 */
async function asksForWhatTheySet(
  rogue: Rogue,
  {
    learned = 'Keep',
    lists = 0,
    seconds = 30,
  }: { readonly learned?: 'Keep' | 'nothing'; readonly lists?: number; readonly seconds?: number } = {},
): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } }, { observedGeneration: 1 });
  if (learned === 'Keep') await learns(rogue, 'omittedFields', learned);
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await listsFor(rogue, 2);
  rogue.world.editAtService(URL_PATH, ONE, 'x');
  for (let list = 0; list < lists; list += 1) await rogue.list();
  await rogue.world.pass(seconds);
  await rogue.patch({ source_config: { custom_url: ONE } });
}

async function createsTwice(rogue: Rogue, change?: () => void): Promise<void> {
  rogue.world.apply(CREATION, 'y');
  await rogue.create('y');
  await rogue.list();
  change?.();
  await rogue.world.pass(61);
  await listsWhole(rogue);
  await rogue.create('y');
}

/** Plays a page and the next page. After them a pass has ended. */
async function listsWhole(rogue: Rogue): Promise<void> {
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.list();
}

/**
 * Plays a creation with an answer, lists without the new deployment, and another creation, by another process or the
 * same one.
 */
async function createsUnlisted(rogue: Rogue, restartsAfterS?: number): Promise<void> {
  rogue.world.chronicle.started();
  await rogue.world.pass(1);
  rogue.world.apply(CREATION, 'y');
  rogue.world.become({ listShows: 'nothing' });
  await rogue.create('y');
  if (restartsAfterS !== undefined) {
    await rogue.world.pass(restartsAfterS);
    rogue.world.chronicle.started();
  }
  await rogue.world.pass(62);
  await rogue.list();
  await rogue.create('y');
}

/** Plays this scenario: lists omit a deployment for a window. Then some pages show it, and it is created again. */
async function createsWithinAPass(rogue: Rogue, pages: number): Promise<void> {
  rogue.world.apply(CREATION, 'y');
  await rogue.create('y');
  await listsWhole(rogue);
  rogue.world.become({ listShows: 'nothing' });
  await rogue.world.pass(61);
  await rogue.list();
  rogue.world.become({ listShows: 'all' });
  for (let page = 0; page < pages; page += 1) {
    await rogue.world.pass(1);
    await rogue.list();
  }
  await rogue.create('y');
}

/** Plays a creation whose answer is lost, a list without the new deployment, and another creation. */
async function createsUnanswered(rogue: Rogue, seconds: number): Promise<void> {
  rogue.world.apply(CREATION, 'y');
  rogue.world.become({ listShows: 'nothing' });
  rogue.world.fault({ kind: 'apply-then-fail', how: 504 }, { match: { operation: 'create' } });
  await rogue.create('y');
  await rogue.world.pass(seconds);
  await rogue.list();
  await rogue.create('y');
}

/** Plays a resource that is pinned to one tenant, whose credential now belongs to another tenant. */
async function createsInTheOtherTenant(rogue: Rogue): Promise<void> {
  const binding = {
    connectionKind: 'Connection',
    connectionName: 'default',
    endpoint: 'https://dms.example.com/api',
    reference: 'x',
    tenantID: DEFAULT_TENANT,
    time: '2026-11-20T00:00:00.000Z',
  } as const;
  rogue.bind(CREATION, { binding });
  await rogue.world.pass(1);
  await rogue.list(OTHER_TENANT);
  await rogue.create('x', OTHER_TENANT);
}

/**
 * Plays this scenario: another client sets the URL. A write at another time empties the command, and a list shows the
 * state between the two.
 */
async function emptiesTheCommand(rogue: Rogue, theirs: string): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } }, { observedGeneration: 1 });
  await rogue.world.pass(60);
  await rogue.list();
  rogue.world.editAtService(URL_PATH, theirs, 'x');
  await rogue.world.pass(5);
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(7);
  await rogue.list();
  await listsFor(rogue, 10);
}

/**
 * Plays this scenario: another client sets an image, which lists hide. A request repeats the address, sets an image and
 * empties the secrets, and the next list shows the revision of the other client with the secrets.
 */
async function emptiesTheSecret(rogue: Rogue, theirs: string): Promise<void> {
  const wants = { sourceConfig: { customURL: ONE }, sourceRevisionConfig: { imageURI: IMAGES.two } };
  const sends = ['2026-11-20T00:00:00.000Z'];
  rogue.bind(wants, { observedGeneration: 1, budget: { sends, drift: [], same: [] } });
  await rogue.world.pass(60);
  await rogue.list();
  rogue.world.editAtService('source_revision_config.image_uri', theirs, 'x');
  await rogue.world.pass(5);
  await rogue.patch({
    source_config: { custom_url: ONE },
    source_revision_config: { image_uri: IMAGES.two },
  });
  await rogue.world.pass(7);
  await rogue.list();
  await listsFor(rogue, 10);
}

/** Plays a list of secrets that leaves one out and never arrives, and the claim that the service keeps that secret. */
async function keepsTheOther(rogue: Rogue, value: string): Promise<void> {
  const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: TOKEN.name } };
  rogue.bind({ secrets: [{ name: TOKEN.name, valueFrom }], secretsOwnership: 'Exclusive' });
  await rogue.list();
  rogue.world.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
  await rogue.patch({ secrets: [{ name: TOKEN.name, value }] });
  await rogue.list();
  rogue.claimStop('FieldNotClearable', 'the service keeps secrets that the newest list leaves out: OTHER');
}

/**
 * Plays this scenario: the answer to a write shows its value, the answer to the next write shows another one, and the
 * same process or the next one claims that the service has the value.
 */
async function claimsWhatAnAnswerDenied(rogue: Rogue, restarts: boolean): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(5);
  const sourceConfig = { customURL: TWO, installCommand: 'make' };
  rogue.world.apply({ deploymentRef: { name: 'x' }, sourceConfig }, 'x');
  await rogue.patch({ source_config: { install_command: 'make' } });
  await rogue.world.pass(1);
  if (restarts) rogue.world.chronicle.started();
  await rogue.list();
  rogue.claimReady(2);
  await listsFor(rogue, 1);
}

/**
 * Plays this scenario: only the answer to a later write shows that the service has not stored a value which lists hide.
 * The process dies as that answer arrives or some seconds later, or records it.
 */
async function claimsWhatADyingProcessWasAnswered(
  rogue: Rogue,
  fate: 'dies' | 'dies later' | 'records it' | 'records it and dies',
): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await listsFor(rogue, 2);
  const sourceConfig = { customURL: TWO, installCommand: 'make' };
  rogue.world.apply({ deploymentRef: { name: 'x' }, sourceConfig }, 'x');
  await rogue.patch({ source_config: { install_command: 'make' } });
  if (fate === 'dies later') await rogue.world.pass(2);
  if (fate.startsWith('records it')) rogue.claimSent(2);
  if (fate !== 'records it') rogue.world.chronicle.died();
  rogue.world.chronicle.started();
  await listsFor(rogue, 2);
  rogue.claimReady(2);
  await listsFor(rogue, 1);
}

/**
 * Plays this scenario: a process announces a branch and dies before it sends it. A push makes a revision or not, whose
 * commit is the same, and the next process claims that the service has the branch.
 */
async function claimsAnAnnouncedBranch(rogue: Rogue, pushed: boolean): Promise<void> {
  const paths = ['sourceRevisionConfig.repoRef'];
  const time = '2026-11-20T00:00:01.000Z';
  rogue.bind({ source: 'codehost', sourceRevisionConfig: { repoRef: 'main' } });
  await rogue.world.pass(1);
  await rogue.list();
  await rogue.world.pass(1);
  rogue.claim({
    pendingWrite: { operation: 'Patch', bodyDigest: '', paths, generation: 1, time, attempt: 1 },
  });
  if (pushed) rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  await rogue.world.pass(61);
  await rogue.list();
  await rogue.world.pass(1);
  rogue.claimReady(1);
}

/**
 * Plays a repeated write of a URL that a late list does not show and a page of the next pass shows: before the last page
 * of that pass, or after it.
 */
async function repeatsTheURL(rogue: Rogue, when: 'within the pass' | 'after it'): Promise<void> {
  rogue.bind({ sourceConfig: { customURL: TWO } }, { observedGeneration: 1 });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(62);
  await rogue.list();
  rogue.world.become({ listLag: { seconds: 0 } });
  await rogue.world.pass(1);
  await rogue.page(0);
  await rogue.world.pass(1);
  if (when === 'after it') await rogue.page(2);
  await rogue.world.pass(1);
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(1);
  await rogue.page(when === 'after it' ? 0 : 2);
}

/** Plays an edit by a person that a page shows, and a new generation that counts as applied within that pass or after it. */
async function readyWhileAPersonEdits(rogue: Rogue, when: 'within the pass' | 'after it'): Promise<void> {
  const spec = { sourceConfig: { customURL: ONE } };
  rogue.bind(spec);
  await rogue.patch({ source_config: { custom_url: ONE } });
  await rogue.world.pass(62);
  await rogue.page(0);
  await rogue.page(2);
  rogue.claimReady(1);
  rogue.world.editAtService(URL_PATH, TWO, 'x');
  await rogue.world.pass(1);
  await rogue.page(0);
  await rogue.world.pass(1);
  if (when === 'after it') await rogue.page(2);
  await rogue.world.pass(1);
  rogue.world.apply({ deploymentRef: { name: 'x' }, ...spec, driftPolicy: 'Correct' }, 'x');
  rogue.claimReady(2);
  await rogue.world.pass(1);
  await rogue.page(when === 'after it' ? 0 : 2);
}
