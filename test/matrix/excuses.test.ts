import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ExcuseName, EXCUSES } from '../support/oracle/finding.ts';
import { Rogue } from '../support/oracle/rogue.ts';
import type { WireObject } from '../../src/wire/wire-json.ts';
import { objectOf } from '../../src/simulator/values/wire-values.ts';
import { listsFor, type Story } from './story.ts';
import { learns, LESSON_STORIES, saysThatItWasEmptied } from './lesson-stories.ts';
import { UNSEEN_STORIES } from './unseen-stories.ts';

const HAND = 'https://by-hand.example.com';
const TWO = 'https://two.example.com';
const URL_PATH = 'source_config.custom_url';
const COMMAND_PATH = 'source_config.install_command';
const setsURL = { source_config: { custom_url: TWO } };
const TOKEN = { name: 'TOKEN', value: 'value-of-the-token' };
const wantsURL = { sourceConfig: { customURL: TWO } };

/** A status that counts a write which makes a revision. */
const COUNTED = {
  observedGeneration: 1,
  budget: { sends: ['2026-11-20T00:00:00.000Z'], drift: [], same: [] },
};

/** Another client changes a value, and the status reports Ready for six minutes. */
const readyAfterAnEdit =
  (spec: Parameters<Rogue['bind']>[0], path: string, value: string | number) =>
  async (rogue: Rogue): Promise<void> => {
    rogue.bind(spec);
    rogue.claimReady(1);
    await listsFor(rogue, 3);
    rogue.world.editAtService(path, value, 'x');
    await listsFor(rogue, 6);
  };

/**
 * Plays this scenario: a person empties a value before or after the first list of a new process, and the status reports
 * Ready for six minutes.
 */
async function emptiedAroundARestart(rogue: Rogue, when: 'before' | 'after'): Promise<void> {
  rogue.world.chronicle.started();
  rogue.bind({ sourceConfig: { installCommand: 'npm ci' } });
  rogue.claimReady(1);
  await listsFor(rogue, 3);
  const empty = (): void => rogue.world.editAtService(COMMAND_PATH, null, 'x');
  if (when === 'before') empty();
  rogue.world.chronicle.started();
  await rogue.list();
  if (when === 'after') empty();
  await listsFor(rogue, 6);
}

const HIDES_SECRETS = {
  semantics: { listShape: ['empty-secrets'], patchEcho: 'empty-202', trigger: 'never' },
} as const;

const EMPTIES_UNLISTED_SECRETS = {
  semantics: { listShape: ['no-secrets'], topLevelOmit: 'cleared' },
} as const;

const CODEHOST = {
  name: 'x',
  source: 'codehost',
  sourceConfig: { repo_url: 'https://code.example.com/agent' },
  revisionConfig: { repo_ref: 'main' },
} as const;

const BARE = { name: 'x', revisionConfig: { image_uri: 'r.example.com/agent:1' } } as const;

const WITH_OTHER = { name: 'x', secrets: [{ name: 'OTHER', value: 'value-of-somebody-else' }] } as const;

const COUNTING = { ...BARE, sourceConfig: { resource_spec: { cpu: 1 } } } as const;

/** A write of the revision config empties the source config but for the command, which requests never change. */
const EMPTIED_BUT_COMMAND = {
  topLevelOmit: 'cleared',
  fieldRules: { [COMMAND_PATH]: 'ignored' },
} as const;

/** A write of the revision config empties the source config but for the URL, which requests never change. */
const EMPTIED_BUT_URL = {
  deployments: [{ name: 'x', sourceConfig: { custom_url: TWO, install_command: 'npm ci' } }],
  semantics: { topLevelOmit: 'cleared', fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'sent-only' },
} as const;

/** The service empties fields left out of a block, and rounds shown values. */
const EMPTYING_SPELLER = { nested: { sourceConfig: 'replace' }, normalise: ['round1'] } as const;

/** The service has the URL that a request asks for. */
const HAS_THE_URL = { deployments: [{ name: 'x', sourceConfig: { custom_url: TWO } }] } as const;

const STORIES: readonly Story[] = [
  {
    excuse: 'no look has shown it',
    given: { semantics: { fieldRules: { [URL_PATH]: 'hidden' } } },
    play: readyAfterAnEdit({ sourceConfig: { customURL: 'https://one.example.com' } }, URL_PATH, HAND),
    otherwise: {},
  },
  {
    excuse: 'a commit stands for the branch',
    given: { deployments: [CODEHOST], semantics: { normalise: ['ref-to-sha'] } },
    play: readyAfterAnEdit(
      { source: 'codehost', sourceRevisionConfig: { repoRef: 'main' } },
      'source_revision_config.repo_ref',
      'release',
    ),
    otherwise: { deployments: [CODEHOST] },
  },
  {
    excuse: 'a commit stands for the branch',
    given: { deployments: [CODEHOST], semantics: { normalise: ['ref-to-sha'] } },
    play: readyForAnEditOfMore,
    otherwise: { deployments: [CODEHOST] },
  },
  {
    excuse: 'no look has shown it',
    given: { deployments: [BARE], semantics: { ...EMPTYING_SPELLER, listShape: ['no-resource-spec'] } },
    play: readyForMoreThanAnAnswerShowed,
    otherwise: { deployments: [BARE], semantics: EMPTYING_SPELLER },
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { revisionFor: 'and-resource-spec' } },
    play: (rogue) => editedAfterAWrite(rogue, 10),
    otherwise: (rogue) => editedAfterAWrite(rogue, 400),
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { revisionFor: 'and-resource-spec' } },
    play: (rogue) => editedAfterAWrite(rogue, 10, 5),
    otherwise: (rogue) => editedAfterAWrite(rogue, 400, 5),
  },
  {
    excuse: 'edited while a write took shape',
    given: { deployments: [COUNTING], semantics: { listLag: { seconds: 20 } } },
    play: (rogue) => editedBackAndOn(rogue, 1),
    otherwise: (rogue) => editedBackAndOn(rogue, 30),
  },
  {
    excuse: 'edited while a write took shape',
    given: { deployments: [BARE], semantics: { patchEcho: 'sent-only' } },
    play: setsTheOldImageAndAnother,
    otherwise: { deployments: [BARE], semantics: { patchEcho: 'post' } },
  },
  {
    excuse: 'edited while a write took shape',
    given: { deployments: [CODEHOST] },
    play: (rogue) => editedAfterAPush(rogue, 'after the list'),
    otherwise: (rogue) => editedAfterAPush(rogue, 'before the list'),
  },
  {
    excuse: 'edited while a write took shape',
    given: { deployments: [CODEHOST], semantics: { patchEcho: 'empty-204' } },
    play: (rogue) => editedAfterAPush(rogue, 'after the list'),
    otherwise: (rogue) => editedAfterAPush(rogue, 'before the list'),
  },
  {
    excuse: 'edited while a write took shape',
    given: {
      deployments: [{ name: 'x' }],
      semantics: { fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'empty-204' },
    },
    play: (rogue) => setsAnIgnoredURL(rogue, 10),
    otherwise: (rogue) => setsAnIgnoredURL(rogue, 400),
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' } } },
    play: (rogue) => setsAnIgnoredURL(rogue, 10),
    otherwise: (rogue) => setsAnIgnoredURL(rogue, 400),
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'pre' } },
    play: (rogue) => setsAnIgnoredURL(rogue, 10, 'make'),
    otherwise: { semantics: { fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'post' } },
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'empty-204' } },
    play: (rogue) => setsAnIgnoredURL(rogue, 10),
    otherwise: { semantics: { patchEcho: 'empty-204' } },
  },
  {
    excuse: 'edited while a write took shape',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' }, patchEcho: 'empty-204' } },
    play: (rogue) => setsAnIgnoredURL(rogue, 10),
    otherwise: { ...HAS_THE_URL, semantics: { patchEcho: 'empty-204' } },
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: { semantics: { fieldRules: { [URL_PATH]: 'hidden' }, patchEcho: 'empty-204' } },
    play: sentTwice,
    otherwise: {},
  },
  {
    excuse: 'no look shows the value as it is kept',
    play: (rogue) => emptiedAroundARestart(rogue, 'before'),
    otherwise: (rogue) => emptiedAroundARestart(rogue, 'after'),
  },
  {
    excuse: 'the outcome was unknown',
    given: { semantics: { fieldRules: { [URL_PATH]: 'ignored' } } },
    play: async (rogue) => {
      rogue.world.fault({ kind: 'apply-then-fail', how: 504 }, { times: 3 });
      await sentThrice(rogue);
    },
    otherwise: sentThrice,
  },
  {
    excuse: 'the outcome was unknown',
    given: { semantics: { listShape: ['empty-secrets'] } },
    play: emptiesSecretsTwice,
    otherwise: {},
  },
  {
    excuse: 'the outcome was unknown',
    given: HIDES_SECRETS,
    play: (rogue) => emptiesSecretsUnseen(rogue, 61),
    otherwise: (rogue) => emptiesSecretsUnseen(rogue, 30),
  },
  {
    excuse: 'the outcome was unknown',
    given: HIDES_SECRETS,
    play: (rogue) => emptiesSecretsUnseen(rogue, 61),
    otherwise: { semantics: { ...HIDES_SECRETS.semantics, patchEcho: 'post' } },
  },
  {
    excuse: 'the outcome was unknown',
    given: HIDES_SECRETS,
    play: (rogue) => emptiesSecretsUnseen(rogue, 61),
    otherwise: { semantics: { ...HIDES_SECRETS.semantics, trigger: 'on-change' } },
  },
  {
    excuse: 'the outcome was unknown',
    given: HIDES_SECRETS,
    play: (rogue) => emptiesSecretsUnseen(rogue, 61),
    otherwise: { semantics: { ...HIDES_SECRETS.semantics, listShape: [] } },
  },
  {
    excuse: 'the outcome was unknown',
    given: { semantics: { ...HIDES_SECRETS.semantics, patchEcho: 'pre' } },
    play: (rogue) => emptiesSecretsUnseen(rogue, 61, { setsTheURL: true }),
    otherwise: { semantics: { ...HIDES_SECRETS.semantics, patchEcho: 'post' } },
  },
  {
    excuse: 'the outcome was unknown',
    given: { semantics: { listShape: ['empty-secrets'], topLevelOmit: 'cleared' } },
    play: emptiesSecretsAfterAnotherWrite,
    otherwise: { semantics: { topLevelOmit: 'cleared' } },
  },
  {
    excuse: 'the outcome was unknown',
    given: EMPTIES_UNLISTED_SECRETS,
    play: emptiesSecretsLongAfterOtherWrites,
    otherwise: { semantics: { topLevelOmit: 'cleared' } },
  },
  {
    excuse: 'the outcome was unknown',
    given: EMPTIES_UNLISTED_SECRETS,
    play: emptiesSecretsLongAfterOtherWrites,
    otherwise: { semantics: { ...EMPTIES_UNLISTED_SECRETS.semantics, patchEcho: 'pre' } },
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: { semantics: { lists: 'empty-ignored', secretsEcho: 'plain' } },
    play: (rogue) => sendsAKeptSecretAgain(rogue, 1),
    otherwise: (rogue) => sendsAKeptSecretAgain(rogue, 120),
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: { semantics: { lists: 'empty-ignored', secretsEcho: 'plain', listLag: { seconds: 20 } } },
    play: (rogue) => sendsAKeptSecretAgainAfter(rogue, 5),
    otherwise: { semantics: { lists: 'empty-ignored', secretsEcho: 'plain' } },
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: { semantics: { lists: 'empty-ignored', secretsEcho: 'plain', listLag: { seconds: 20 } } },
    play: (rogue) => sendsAKeptSecretAgainAfter(rogue, 5),
    otherwise: (rogue) => sendsAKeptSecretAgainAfter(rogue, 120),
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: {
      deployments: [CODEHOST],
      semantics: { topLevelOmit: 'cleared', normalise: ['ref-to-sha'], trigger: 'never' },
    },
    play: (rogue) => putsBackACommit(rogue, () => rogue.world.become({ stale: { every: 1, seconds: 600 } })),
    otherwise: (rogue) => putsBackACommit(rogue, () => rogue.world.become({ normalise: [] })),
  },
  {
    excuse: 'no look has shown it',
    given: { semantics: { listShape: ['no-secrets'] } },
    play: emptiesSecretsAfterAPerson,
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { deployments: [WITH_OTHER], semantics: { listLag: { seconds: 600 } } },
    play: blamesASecretThatIsGone,
    otherwise: { deployments: [WITH_OTHER] },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: (rogue) => putsBackWhatAPersonChanged(rogue),
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: (rogue) => answersAnEditThatGoesBack(rogue, 'claimDrift'),
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: (rogue) => answersAnEditThatGoesBack(rogue, 'claimReady'),
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { nested: { sourceConfig: 'replace' }, listLag: { seconds: 600 } } },
    play: answersAnEditBesideARepair,
    otherwise: { semantics: { nested: { sourceConfig: 'replace' } } },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: sentThriceAfterLists,
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: sentThriceAfterLists,
    otherwise: { semantics: { listLag: { seconds: 600 }, fieldRules: { [URL_PATH]: 'ignored' } } },
  },
  {
    excuse: 'the outcome was unknown',
    given: { semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'empty-202' } },
    play: repairsTwice,
    otherwise: { semantics: { nested: { sourceConfig: 'replace' } } },
  },
  {
    excuse: 'the outcome was unknown',
    given: {
      semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'empty-202', listLag: { seconds: 80 } },
    },
    play: repairsTwiceBesideAnOldList,
    otherwise: { semantics: { nested: { sourceConfig: 'replace' }, patchEcho: 'empty-202' } },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { nested: { sourceConfig: 'replace' } } },
    play: (rogue) => emptiesTheCommandLate(rogue, 40_000),
    otherwise: (rogue) => emptiesTheCommandLate(rogue, 10_000),
  },
  {
    excuse: 'only answers have shown it',
    given: {
      semantics: { nested: { sourceConfig: 'replace' }, listShape: ['no-commands'] },
    },
    play: emptiesTheCommand,
    otherwise: { semantics: { nested: { sourceConfig: 'replace' } } },
  },
  {
    excuse: 'the answer shows it as kept',
    given: { semantics: { listShape: ['empty-secrets'], topLevelOmit: 'cleared', patchEcho: 'pre' } },
    play: saysThatTheTokenIsThere,
    otherwise: { semantics: { listShape: ['empty-secrets'], topLevelOmit: 'cleared' } },
  },
  {
    excuse: 'taken away while a write left it out',
    play: (rogue) => saysThatTheServiceEmptiedIt(rogue, 0),
    otherwise: (rogue) => saysThatTheServiceEmptiedIt(rogue, 120),
  },
  {
    excuse: 'taken away while a write left it out',
    play: (rogue) => saysThatItWasEmptiedWithoutALook(rogue, 'Keep'),
    otherwise: (rogue) => saysThatItWasEmptiedWithoutALook(rogue, 'nothing'),
  },
  {
    excuse: 'taken away while a write left it out',
    play: (rogue) => saysThatItWasEmptiedWithoutALook(rogue, 'Keep'),
    otherwise: (rogue) => saysThatItWasEmptiedWithoutALook(rogue, 'Keep', { resource_spec: { cpu: 2 } }),
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { patchEcho: 'empty-204', stale: { every: 3, seconds: 90 } } },
    play: saysThatItWasEmptiedAfterAnOldLook,
    otherwise: { semantics: { patchEcho: 'empty-204' } },
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { ...EMPTIED_BUT_COMMAND, patchEcho: 'pre' } },
    play: saysThatAllWasEmptied,
    otherwise: { semantics: EMPTIED_BUT_COMMAND },
  },
  {
    excuse: 'taken away while a write left it out',
    given: EMPTIED_BUT_URL,
    play: (rogue) => saysThatItWasEmptiedBeside(rogue, 'another URL'),
    otherwise: (rogue) => saysThatItWasEmptiedBeside(rogue, 'the URL of the last list'),
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { ...EMPTIED_BUT_COMMAND, patchEcho: 'sent-only' } },
    play: (rogue) => saysThatAllWasEmptiedAfterLists(rogue, { every: 1, seconds: 600 }),
    otherwise: (rogue) => saysThatAllWasEmptiedAfterLists(rogue, { every: 0, seconds: 0 }),
  },
  {
    excuse: 'announced by a process that died',
    play: async (rogue) => {
      rogue.world.chronicle.started();
      await sendsOnce(rogue);
      rogue.world.chronicle.died();
      rogue.world.chronicle.started();
      saysSentTwice(rogue);
    },
    otherwise: async (rogue) => {
      await sendsOnce(rogue);
      saysSentTwice(rogue);
    },
  },
  {
    excuse: 'a refusal does not say what it refuses',
    play: async (rogue) => {
      rogue.world.fault({ kind: 'status', status: 422 });
      await learnsThatNullsAreRejected(rogue);
    },
    otherwise: learnsThatNullsAreRejected,
  },
];

/**
 * Plays this scenario: another client sets another branch. The next generation, which declares the same branch and
 * more, is reported Ready.
 */
async function readyForAnEditOfMore(rogue: Rogue): Promise<void> {
  const spec = { source: 'codehost', sourceRevisionConfig: { repoRef: 'main' } } as const;
  rogue.bind(spec);
  rogue.claimReady(1);
  await rogue.list();
  rogue.world.editAtService('source_revision_config.repo_ref', 'release', 'x');
  await rogue.world.pass(60);
  await rogue.list();
  rogue.bind({ ...spec, clear: ['sourceConfig.customURL'] });
  rogue.claimReady(2);
  await rogue.world.pass(1);
}

/**
 * Plays this scenario: a list shows a branch as its commit, and the next one, under another switch, shows the branch. A
 * request empties the branch, and another one puts back the commit.
 */
async function putsBackACommit(rogue: Rogue, switches: () => void): Promise<void> {
  rogue.bind({ source: 'codehost', sourceConfig: { installCommand: 'npm ci' } });
  await rogue.list();
  switches();
  await rogue.list();
  rogue.world.become({ stale: { every: 0, seconds: 0 }, normalise: ['ref-to-sha'] });
  const { repo_ref: commit = null } = objectOf(rogue.world.shown('x')['source_revision_config']);
  await rogue.patch({ source_config: { install_command: 'npm ci' } });
  await rogue.list();
  await rogue.patch({ source_revision_config: { repo_ref: commit } });
}

/** Plays this scenario: a write empties a rounded value that only the answer to the previous write showed. */
async function readyForMoreThanAnAnswerShowed(rogue: Rogue): Promise<void> {
  const sourceConfig = { resourceSpec: { cpu: 1.55 } };
  rogue.bind({ sourceConfig }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_config: { resource_spec: { cpu: 1.55 } } });
  await rogue.list();
  const spec = { sourceConfig: { ...sourceConfig, customURL: TWO } };
  rogue.bind(spec, COUNTED);
  await rogue.patch(setsURL);
  await rogue.world.pass(60);
  rogue.bind({ ...spec, clear: ['sourceConfig.installCommand'] }, COUNTED);
  rogue.claimReady(3);
  await rogue.world.pass(1);
}

async function editedAfterAWrite(rogue: Rogue, seconds: number, readyAgainS?: number): Promise<void> {
  rogue.bind({ sourceConfig: { resourceSpec: { cpu: 2 } } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_config: { resource_spec: { cpu: 2 } } });
  rogue.claimReady(1);
  await rogue.world.pass(seconds);
  await rogue.list();
  if (readyAgainS !== undefined) rogue.claimStop('ConnectionNotReady');
  rogue.world.editAtService('source_config.resource_spec.cpu', 4, 'x');
  if (readyAgainS !== undefined) {
    await rogue.world.pass(readyAgainS);
    rogue.claimReady(1);
  }
  await listsFor(rogue, 6);
}

/**
 * Plays this scenario: soon after a write that makes a revision, a person sets the value from before it, and another one
 * some seconds later. A list after that may be from before the write, or shows the value from before it again.
 */
async function editedBackAndOn(rogue: Rogue, seconds: number): Promise<void> {
  const image = 'r.example.com/agent:2';
  const spec = { sourceConfig: { resourceSpec: { cpu: 2 } }, sourceRevisionConfig: { imageURI: image } };
  rogue.bind(spec, COUNTED);
  await rogue.world.pass(30);
  await rogue.list();
  await rogue.patch({
    source_config: { resource_spec: { cpu: 2 } },
    source_revision_config: { image_uri: image },
  });
  rogue.claimReady(1);
  await rogue.world.pass(5);
  rogue.world.editAtService('source_config.resource_spec.cpu', 1, 'x');
  await rogue.world.pass(seconds);
  rogue.world.editAtService('source_config.resource_spec.cpu', 3, 'x');
  await rogue.world.pass(3);
  await rogue.list();
  await listsFor(rogue, 6);
}

/**
 * Plays this scenario: after a write of an image, a person sets the image from before it, which a list within the window
 * shows under a new revision. Then the person sets a third image, which makes yet another revision.
 */
async function setsTheOldImageAndAnother(rogue: Rogue): Promise<void> {
  const image = 'r.example.com/agent:2';
  rogue.bind({ sourceRevisionConfig: { imageURI: image } }, COUNTED);
  await rogue.world.pass(30);
  await rogue.list();
  await rogue.patch({ source_revision_config: { image_uri: image } });
  rogue.claimReady(1);
  await rogue.world.pass(5);
  rogue.world.editAtService('source_revision_config.image_uri', BARE.revisionConfig.image_uri, 'x');
  await rogue.list();
  await rogue.world.pass(5);
  rogue.world.editAtService('source_revision_config.image_uri', 'r.example.com/agent:3', 'x');
  await listsFor(rogue, 6);
}

/**
 * Plays this scenario: a push makes a revision before a write of a resource spec that makes none, and soon after the
 * write a person changes the resource spec. The list before the write shows the revision or not.
 */
async function editedAfterAPush(rogue: Rogue, when: 'before the list' | 'after the list'): Promise<void> {
  rogue.bind({ sourceConfig: { resourceSpec: { cpu: 2 } } }, COUNTED);
  const push = (): void => {
    rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  };
  if (when === 'before the list') push();
  await rogue.list();
  if (when === 'after the list') push();
  await rogue.patch({ source_config: { resource_spec: { cpu: 2 } } });
  rogue.claimReady(1);
  await rogue.world.pass(10);
  await rogue.list();
  rogue.world.editAtService('source_config.resource_spec.cpu', 4, 'x');
  await listsFor(rogue, 6);
}

/**
 * Plays this scenario: the service ignores a URL, which goes alone or with a command, and so many seconds later a person
 * sets another one.
 */
async function setsAnIgnoredURL(rogue: Rogue, seconds: number, installCommand?: string): Promise<void> {
  const isAlone = installCommand === undefined;
  rogue.bind(isAlone ? wantsURL : { sourceConfig: { ...wantsURL.sourceConfig, installCommand } }, COUNTED);
  await rogue.list();
  const more = isAlone ? {} : { install_command: installCommand };
  await rogue.patch({ source_config: { ...setsURL.source_config, ...more } });
  await rogue.world.pass(seconds);
  await rogue.list();
  rogue.world.editAtService(URL_PATH, 'https://by-hand.example.com', 'x');
  rogue.claimReady(1);
  await listsFor(rogue, 6);
}

async function sentTwice(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  await rogue.list();
  for (let time = 0; time < 2; time += 1) {
    await rogue.patch(setsURL);
    await rogue.world.pass(120);
    await rogue.list();
  }
}

async function sentThrice(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  for (let time = 0; time < 3; time += 1) {
    await rogue.patch(setsURL);
    await rogue.world.pass(120);
  }
}

async function sentThriceAfterLists(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  for (let time = 0; time < 3; time += 1) {
    await rogue.list();
    await rogue.patch(setsURL);
    await rogue.world.pass(120);
  }
}

async function putsBackWhatAPersonChanged(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  await rogue.world.pass(700);
  rogue.world.editAtService(COMMAND_PATH, 'npm ci --theirs', 'x');
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO, install_command: 'npm ci' } });
}

async function emptiesTheCommand(rogue: Rogue): Promise<void> {
  const image = 'r.example.com/agent:2';
  rogue.bind({ ...wantsURL, sourceRevisionConfig: { imageURI: image } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_revision_config: { image_uri: image } });
  await rogue.list();
  await rogue.patch(setsURL);
  await listsFor(rogue, 10);
}

async function saysThatTheServiceEmptiedIt(rogue: Rogue, seconds: number): Promise<void> {
  rogue.bind(wantsURL);
  await rogue.list();
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(seconds);
  if (seconds > 0) await rogue.list();
  await rogue.world.pass(1);
  await rogue.patch(setsURL);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/** Plays this scenario: a person empties the command half a minute before a write, and no look precedes the write. */
async function saysThatItWasEmptiedWithoutALook(
  rogue: Rogue,
  learned: 'Keep' | 'nothing',
  others: WireObject = {},
): Promise<void> {
  rogue.bind(wantsURL);
  await rogue.list();
  if (learned === 'Keep') await learns(rogue, 'omittedFields', learned);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(30);
  await rogue.patch({ source_config: { ...setsURL.source_config, ...others } });
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/** Plays this scenario: a list shows that a person emptied the command, and the next one, right before a write, is older. */
async function saysThatItWasEmptiedAfterAnOldLook(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL);
  await rogue.list();
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(70);
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/**
 * Plays this scenario: the service empties the source config but for the command, which a person then empties before a
 * list shows any of that.
 */
async function saysThatAllWasEmptied(rogue: Rogue): Promise<void> {
  rogue.bind({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_revision_config: { image_uri: 'registry.example.com/agent:2' } });
  await rogue.world.pass(6);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(61);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/**
 * Plays this scenario: a person empties the command just before a write that leaves it out. Beside it, lists show the URL
 * that they showed before, or another one that the person has set at the same time.
 */
async function saysThatItWasEmptiedBeside(
  rogue: Rogue,
  beside: 'another URL' | 'the URL of the last list',
): Promise<void> {
  rogue.bind({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, COUNTED);
  await rogue.list();
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  if (beside === 'another URL') rogue.world.editAtService(URL_PATH, HAND, 'x');
  await rogue.patch({ source_revision_config: { image_uri: 'registry.example.com/agent:2' } });
  await rogue.world.pass(61);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/**
 * Plays this scenario: the service empties all but the command, which a person then empties. A list after the window of
 * the write, and before that edit, may come from a lagging replica.
 */
async function saysThatAllWasEmptiedAfterLists(
  rogue: Rogue,
  stale: { readonly every: number; readonly seconds: number },
): Promise<void> {
  rogue.bind({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_revision_config: { image_uri: 'registry.example.com/agent:2' } });
  rogue.world.become({ stale });
  await rogue.world.pass(70);
  await rogue.list();
  rogue.world.become({ stale: { every: 0, seconds: 0 } });
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(61);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/** Plays this scenario: the service carries a request out after its answer, and a list after the window lags 30 seconds. */
async function emptiesTheCommandLate(rogue: Rogue, afterMs: number): Promise<void> {
  rogue.bind(wantsURL, COUNTED);
  await rogue.list();
  rogue.world.fault({ kind: 'fail-then-apply-late', how: 504, afterMs });
  await rogue.patch(setsURL);
  await rogue.world.pass(61);
  rogue.world.become({ stale: { every: 1, seconds: 30 } });
  await rogue.list();
  rogue.world.become({ stale: { every: 0, seconds: 0 } });
  await listsFor(rogue, 10);
}

/** Plays this scenario: lists never show the secret that the write empties. */
async function saysThatTheTokenIsThere(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.list();
  rogue.claimStop('UnmanagedSecretsPresent', 'secrets are not sent: the service also lists TOKEN');
}

async function sendsOnce(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, { observedGeneration: 1 });
  await rogue.patch(setsURL);
  rogue.world.editAtService(URL_PATH, HAND, 'x');
  await rogue.list();
}

/** Plays this scenario: an edit goes back to the value before a write, and is never sent. */
async function answersAnEditThatGoesBack(rogue: Rogue, claim: 'claimDrift' | 'claimReady'): Promise<void> {
  rogue.bind(wantsURL);
  await rogue.patch(setsURL);
  await listsFor(rogue, 2);
  rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' }, driftPolicy: 'Report' });
  await listsFor(rogue, 1);
  rogue[claim](2);
  await listsFor(rogue, 1);
}

/** Plays this scenario: an edit goes back to an earlier value, and later requests change it without asking for that. */
async function answersAnEditBesideARepair(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, COUNTED);
  await rogue.patch(setsURL);
  await listsFor(rogue, 2);
  rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' }, driftPolicy: 'Report' });
  await listsFor(rogue, 1);
  await rogue.patch({ source_config: { install_command: 'npm ci' } });
  await rogue.patch({ source_config: { install_command: 'npm ci', custom_url: TWO } });
  rogue.claimDrift(2);
}

/** Plays this scenario: a write empties the command, and a person empties it again after its repair. */
async function repairsTwice(rogue: Rogue): Promise<void> {
  const repair = { source_config: { custom_url: TWO, install_command: 'npm ci' } };
  rogue.bind(wantsURL, COUNTED);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.patch(repair);
  await rogue.world.pass(90);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await listsFor(rogue, 2);
  await rogue.patch(repair);
}

/** Plays this scenario: the only list between two repairs is older than both, and shows the value from before its loss. */
async function repairsTwiceBesideAnOldList(rogue: Rogue): Promise<void> {
  const repair = { source_config: { custom_url: TWO, install_command: 'npm ci' } };
  rogue.bind(wantsURL, COUNTED);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.world.pass(70);
  await rogue.patch(repair);
  await rogue.world.pass(5);
  await rogue.list();
  await rogue.world.pass(5);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(90);
  await rogue.list();
  await rogue.patch(repair);
}

/** Plays this scenario: an answer shows a secret, and the answer to the request that empties the list is cut off. */
async function emptiesSecretsTwice(rogue: Rogue): Promise<void> {
  rogue.bind({ ...wantsURL, secrets: [] }, COUNTED);
  await rogue.list();
  await rogue.patch(setsURL);
  rogue.world.fault({ kind: 'truncate' });
  await rogue.patch({ secrets: [] });
  await rogue.world.pass(61);
  await rogue.list();
  await rogue.patch({ secrets: [] });
}

/** Plays this scenario: a request empties the secrets, and the same is sent again some seconds later. */
async function emptiesSecretsUnseen(
  rogue: Rogue,
  seconds: number,
  { setsTheURL = false } = {},
): Promise<void> {
  rogue.bind({ ...(setsTheURL && wantsURL), secrets: [] }, COUNTED);
  await rogue.list();
  await rogue.patch({ ...(setsTheURL && setsURL), secrets: [] });
  await rogue.world.pass(seconds);
  await rogue.list();
  await rogue.patch({ secrets: [] });
}

/** Plays this scenario: a write leaves out the secrets that were sent before, and the next one empties their list. */
async function emptiesSecretsAfterAnotherWrite(rogue: Rogue): Promise<void> {
  rogue.bind({ ...wantsURL, secrets: [TOKEN] }, COUNTED);
  await rogue.patch({ secrets: [TOKEN] });
  await rogue.world.pass(61);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.list();
  rogue.bind({ ...wantsURL, secrets: [] }, COUNTED);
  await rogue.patch({ secrets: [] });
}

/**
 * Plays this scenario: two writes leave out the secrets that were sent before, and after their window a request empties
 * the list. Only with `patchEcho: 'pre'` does the answer to the first of them show the secrets.
 */
async function emptiesSecretsLongAfterOtherWrites(rogue: Rogue): Promise<void> {
  const wantsMore = { sourceConfig: { ...wantsURL.sourceConfig, installCommand: 'make' } };
  rogue.bind({ ...wantsMore, secrets: [TOKEN] }, COUNTED);
  await rogue.patch({ secrets: [TOKEN] });
  await rogue.world.pass(61);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.patch({ source_config: { install_command: 'make' } });
  await rogue.world.pass(61);
  await rogue.list();
  rogue.bind({ ...wantsMore, secrets: [] }, COUNTED);
  await rogue.patch({ secrets: [] });
}

/** Plays this scenario: the service ignores an empty list, and the secret is sent again some seconds later. */
async function sendsAKeptSecretAgain(rogue: Rogue, seconds: number): Promise<void> {
  rogue.bind({ secrets: [TOKEN] }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets: [] });
  await rogue.world.pass(seconds);
  await rogue.list();
  await rogue.patch({ secrets: [TOKEN] });
}

/** Plays the same with another write between the list of secrets and the secret, so many seconds before the secret. */
async function sendsAKeptSecretAgainAfter(rogue: Rogue, seconds: number): Promise<void> {
  const imageURI = 'r.example.com/agent:2';
  rogue.bind({ sourceRevisionConfig: { imageURI }, secrets: [TOKEN] }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets: [] });
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.patch({ source_revision_config: { image_uri: imageURI } });
  await rogue.world.pass(seconds);
  await rogue.list();
  await rogue.patch({ secrets: [TOKEN] });
}

/** Plays this scenario: an answer shows a secret, a person removes the secret, and a request empties the list. */
async function emptiesSecretsAfterAPerson(rogue: Rogue): Promise<void> {
  const secrets = [{ name: 'TOKEN', value: 'next-value-of-the-token' }];
  rogue.bind({ secretsOwnership: 'Exclusive', secrets }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets });
  await rogue.world.pass(120);
  rogue.world.editAtService('secrets.TOKEN', null, 'x');
  await rogue.world.pass(60);
  await rogue.list();
  rogue.world.apply({ deploymentRef: { name: 'x' }, secretsOwnership: 'Exclusive', secrets: [] }, 'x');
  await rogue.patch({ secrets: [] });
}

function saysSentTwice(rogue: Rogue): void {
  rogue.claimStop('NotConverging', 'sourceConfig.customURL was sent twice, but the service does not show it');
}

async function learnsThatNullsAreRejected(rogue: Rogue): Promise<void> {
  rogue.bind({ clear: ['sourceConfig.installCommand'] });
  await rogue.patch({ source_config: { install_command: null } });
  await learns(rogue, 'nulls', 'Rejected');
}

/** Plays this scenario: for five minutes the status blames a secret that a person has removed. */
async function blamesASecretThatIsGone(rogue: Rogue): Promise<void> {
  rogue.bind({ secrets: [] });
  await rogue.list();
  rogue.claimStop('UnmanagedSecretsPresent', 'secrets are not sent: the service also lists OTHER');
  await rogue.world.pass(1);
  rogue.world.editAtService('secrets.OTHER', null, 'x');
  await listsFor(rogue, 5);
}

/** Excuses counted by another test, which also shows the objections of the oracle without their reason. */
const COUNTED_BY_ORACLE_TESTS: readonly ExcuseName[] = [
  'edited after the last look',
  'the answer shows it as kept',
  'secrets are masked',
  'values are not compared yet',
];

const ALL_STORIES = [...STORIES, ...UNSEEN_STORIES, ...LESSON_STORIES];

describe('an excuse of the oracle', () => {
  test('has a test scenario, or a test elsewhere that counts it', () => {
    const told = [...ALL_STORIES.map(({ excuse }) => excuse), ...COUNTED_BY_ORACLE_TESTS];
    expect([...new Set(told)].toSorted()).toEqual(Object.keys(EXCUSES).toSorted());
    const there = readFileSync(new URL('./oracle.test.ts', import.meta.url), 'utf8');
    for (const name of COUNTED_BY_ORACLE_TESTS) expect(there).toContain(`excused: { '${name}': 1 }`);
  });

  test.each(ALL_STORIES)(
    '$excuse: counts with its reason, and not without it',
    async ({ excuse, given, play, otherwise }) => {
      const rogue = new Rogue(given);
      await play(rogue);
      expect(rogue.judged()).toMatchObject({ wrongs: [], excused: { [excuse]: expect.any(Number) } });

      const other = typeof otherwise === 'function' ? new Rogue(given) : new Rogue(otherwise);
      await (typeof otherwise === 'function' ? otherwise : play)(other);
      const { wrongs, excused } = other.judged();
      expect(wrongs).not.toEqual([]);
      expect(excused[excuse]).toBeUndefined();
    },
  );
});
