import { warning } from '../../src/model/outcome/event.ts';
import type { Rogue } from '../support/oracle/rogue.ts';
import type { WireObject } from '../../src/wire/wire-json.ts';
import { listsFor, type Story } from './story.ts';

const TWO = 'https://two.example.com';
const COMMAND_PATH = 'source_config.install_command';
const setsURL = { source_config: { custom_url: TWO } };
const wantsURL = { sourceConfig: { customURL: TWO } };

/** A status that counts a write which makes a revision. */
const COUNTED = {
  observedGeneration: 1,
  budget: { sends: ['2026-11-20T00:00:00.000Z'], drift: [], same: [] },
};

const PLAIN = {
  name: 'x',
  sourceConfig: { custom_url: 'https://one.example.com', install_command: 'npm ci' },
} as const;

const WITH_A_SECRET = { ...PLAIN, secrets: [{ name: 'OTHER', value: 'value-of-the-other' }] } as const;

const COMMANDLESS = { name: 'x', sourceConfig: { custom_url: 'https://one.example.com' } } as const;

const EMPTYING = {
  topLevelOmit: 'cleared',
  nested: { sourceConfig: 'replace', revisionConfig: 'replace' },
} as const;

/** No answer shows anything, and lists show the state of ten seconds ago. */
const LATE_WITHOUT_ANSWERS = {
  semantics: { ...EMPTYING, patchEcho: 'empty-204', listLag: { seconds: 10 } },
} as const;

/** No request changes the address, answers show only what was sent, and lists show the state of ten seconds ago. */
const IGNORING_WITHOUT_THE_REST = {
  semantics: {
    ...EMPTYING,
    fieldRules: { 'source_config.custom_url': 'ignored' },
    patchEcho: 'sent-keys',
    listLag: { seconds: 10 },
  },
} as const;

const OTHER_COMMAND_PATH = 'source_config.build_command';

/** No answer shows anything, and no request ever changes one text of the block. */
const KEEPS_THE_OTHER_COMMAND = {
  deployments: [PLAIN],
  semantics: {
    nested: { sourceConfig: 'replace' },
    fieldRules: { [OTHER_COMMAND_PATH]: 'pretended' },
    patchEcho: 'empty-204',
  },
} as const;

const NEVER_CLEARING = {
  sourceConfig: 'merge-null-ignored',
  revisionConfig: 'merge-null-ignored',
  resourceSpec: 'merge-null-ignored',
} as const;

/** Scenarios about facts that a connection learns, or blames on the service, because it cannot see the difference. */
export const LESSON_STORIES: readonly Story[] = [
  {
    excuse: 'taken away while a write left it out',
    given: KEEPS_THE_OTHER_COMMAND,
    play: async (rogue) => {
      rogue.bind(wantsURL, COUNTED);
      await rogue.list();
      await emptiesBesideTheOtherCommand(rogue);
    },
    otherwise: async (rogue) => {
      rogue.bind(wantsURL, COUNTED);
      rogue.world.editAtService(OTHER_COMMAND_PATH, 'make', 'x');
      await rogue.list();
      await emptiesBesideTheOtherCommand(rogue);
    },
  },
  {
    excuse: 'taken away while a write left it out',
    given: KEEPS_THE_OTHER_COMMAND,
    play: (rogue) => emptiesBesideACommandThatWasListed(rogue, 'to a process that died'),
    otherwise: (rogue) => emptiesBesideACommandThatWasListed(rogue, 'to this process'),
  },
  {
    excuse: 'taken away while a write left it out',
    given: { deployments: [COMMANDLESS], semantics: { patchEcho: 'sent-only', listShape: ['no-commands'] } },
    play: emptiesBesideACommandThatWasSent,
    otherwise: { deployments: [COMMANDLESS], semantics: { patchEcho: 'sent-only' } },
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { patchEcho: 'sent-only' } },
    play: emptiesAfterTheAnswer,
    otherwise: { semantics: { patchEcho: 'post' } },
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { patchEcho: 'pre' } },
    play: emptiesAfterTheAnswer,
    otherwise: { semantics: { patchEcho: 'post' } },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { deployments: [COMMANDLESS], semantics: { listLag: { seconds: 600 } } },
    play: setsTheCommandBefore,
    otherwise: { deployments: [COMMANDLESS] },
  },
  {
    excuse: 'a field that never changes is not emptied either',
    given: {
      deployments: [PLAIN],
      semantics: { ...EMPTYING, fieldRules: { [COMMAND_PATH]: 'pretended' } },
    },
    play: learnsThatOmissionsAreKept,
    otherwise: { deployments: [PLAIN], semantics: EMPTYING },
  },
  {
    excuse: 'a field that never changes is not emptied either',
    given: {
      deployments: [WITH_A_SECRET],
      semantics: { ...EMPTYING, lists: 'merge-by-name', fieldRules: { [COMMAND_PATH]: 'pretended' } },
    },
    play: learnsThatOmissionsAreKeptBesideASecret,
    otherwise: { deployments: [WITH_A_SECRET], semantics: { ...EMPTYING, lists: 'merge-by-name' } },
  },
  {
    excuse: 'somebody else did the same',
    given: LATE_WITHOUT_ANSWERS,
    play: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, TWO),
    otherwise: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, 'https://three.example.com'),
  },
  {
    excuse: 'somebody else did the same',
    given: LATE_WITHOUT_ANSWERS,
    play: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, TWO),
    otherwise: { semantics: { ...EMPTYING, patchEcho: 'empty-204' } },
  },
  {
    excuse: 'somebody else did the same',
    given: LATE_WITHOUT_ANSWERS,
    play: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, TWO),
    otherwise: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, 'our earlier write'),
  },
  {
    excuse: 'somebody else did the same',
    given: LATE_WITHOUT_ANSWERS,
    play: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, TWO),
    otherwise: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, TWO, 15),
  },
  {
    excuse: 'somebody else did the same',
    given: IGNORING_WITHOUT_THE_REST,
    play: (rogue) => learnsFromAnotherHandThatOmissionsAreKept(rogue, 'https://three.example.com'),
    otherwise: { semantics: { ...IGNORING_WITHOUT_THE_REST.semantics, fieldRules: {} } },
  },
  {
    excuse: 'values are not compared yet',
    given: { semantics: { patchEcho: 'empty-204' } },
    play: (rogue) => learnsThatSecretsAreMasked(rogue, 'value-by-hand'),
    otherwise: (rogue) => learnsThatSecretsAreMasked(rogue),
  },
  {
    excuse: 'all secrets were edited at once',
    given: { semantics: { revisionFor: 'revision-config' } },
    play: (rogue) => learnsThatEditedSecretsAreMasked(rogue, ['TOKEN', 'PASSWORD']),
    otherwise: (rogue) => learnsThatEditedSecretsAreMasked(rogue, ['TOKEN']),
  },
  {
    excuse: 'all secrets were edited at once',
    given: { semantics: { revisionFor: 'revision-config' } },
    play: (rogue) => learnsThatEditedSecretsAreMasked(rogue, ['TOKEN', 'PASSWORD']),
    otherwise: {},
  },
  {
    excuse: 'all secrets were edited at once',
    given: { semantics: { revisionFor: 'revision-config', listLag: { seconds: 20 } } },
    play: (rogue) => learnsThatLateSecretsAreMasked(rogue, ['TOKEN', 'PASSWORD']),
    otherwise: (rogue) => learnsThatLateSecretsAreMasked(rogue, ['TOKEN']),
  },
  {
    excuse: 'all secrets were edited at once',
    given: { semantics: { revisionFor: 'revision-config' } },
    play: (rogue) => isReadyWithEditedSecrets(rogue, 'masked'),
    otherwise: (rogue) => isReadyWithEditedSecrets(rogue, 'plain'),
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { nested: NEVER_CLEARING, listLag: { seconds: 600 } } },
    play: learnsThatNullsClear,
    otherwise: { semantics: { nested: NEVER_CLEARING } },
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: learnsThatOmissionsAreEmptied,
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: learnsThatSecretsAreOmitted,
    otherwise: {},
  },
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { lists: 'append', listLag: { seconds: 600 } } },
    play: learnsThatListsReplace,
    otherwise: { semantics: { lists: 'append' } },
  },
  {
    excuse: 'taken away while a write left it out',
    given: { semantics: { lists: 'merge-by-name' } },
    play: (rogue) => learnsThatListsReplaceFromAnotherHand(rogue),
    otherwise: { semantics: { lists: 'merge-by-name', patchEcho: 'empty-204' } },
  },
  ...(['by an earlier write', 'by the answer', 'by a list'] as const).map((told): Story => ({
    excuse: 'taken away while a write left it out',
    given: { semantics: { lists: 'merge-by-name' } },
    play: (rogue) => learnsThatListsReplaceFromAnotherHand(rogue),
    otherwise: (rogue) => learnsThatListsReplaceFromAnotherHand(rogue, told),
  })),
  {
    excuse: 'a list lags beyond the window',
    given: { semantics: { listLag: { seconds: 600 } } },
    play: learnsThatPresenceMakesARevision,
    otherwise: {},
  },
  {
    excuse: 'no look shows the value as it is kept',
    given: { semantics: { normalise: ['lower-case'] } },
    play: repeatsAnImageInCapitals,
    otherwise: {},
  },
];

/** Plays this scenario: a person sets an image in capitals, and a redeploy repeats it in small letters. */
async function repeatsAnImageInCapitals(rogue: Rogue): Promise<void> {
  rogue.bind({}, COUNTED);
  rogue.world.editAtService('source_revision_config.image_uri', 'r.example.com/Agent:2', 'x');
  await rogue.list();
  rogue.world.annotate('redeploy', 'one', 'x');
  await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:2' } });
  await learns(rogue, 'revisionTrigger', 'Presence');
}

/** Plays this scenario: a person makes a revision, and minutes later a write changes nothing. */
async function learnsThatPresenceMakesARevision(rogue: Rogue): Promise<void> {
  rogue.bind({}, COUNTED);
  await rogue.world.pass(700);
  rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  await rogue.world.pass(120);
  await rogue.list();
  rogue.world.annotate('redeploy', 'one', 'x');
  await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:1' } });
  await learns(rogue, 'revisionTrigger', 'Presence');
}

/** Plays this scenario: a person removes the command, and minutes later a write empties it. */
async function learnsThatNullsClear(rogue: Rogue): Promise<void> {
  rogue.bind({ clear: ['sourceConfig.installCommand'] }, { observedGeneration: 1 });
  await rogue.world.pass(700);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.patch({ source_config: { install_command: null } });
  await learns(rogue, 'nulls', 'Clears');
}

/** Plays this scenario: a person removes the command, and minutes later a write leaves it out. */
async function learnsThatOmissionsAreEmptied(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, COUNTED);
  await rogue.world.pass(700);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.patch({ source_config: { custom_url: wantsURL.sourceConfig.customURL } });
  await learns(rogue, 'omittedFields', 'Replace');
}

/** Plays this scenario: a person changes an address, and minutes later a write with that address and secrets is lost. */
async function learnsThatSecretsAreOmitted(rogue: Rogue): Promise<void> {
  const { customURL } = wantsURL.sourceConfig;
  rogue.bind(wantsURL, COUNTED);
  await rogue.world.pass(700);
  rogue.world.editAtService('source_config.custom_url', customURL, 'x');
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.world.pass(1);
  rogue.world.fault({ kind: 'wrong-type' });
  await rogue.patch({ source_config: { custom_url: customURL }, secrets: [] });
  await learns(rogue, 'secretsVisibility', 'Omitted');
}

/** Plays this scenario: a person removes a secret, and minutes later a list of secrets leaves it out. */
async function learnsThatListsReplace(rogue: Rogue): Promise<void> {
  const secrets = wantsTheOther(rogue);
  await rogue.world.pass(700);
  rogue.world.editAtService('secrets.TOKEN', null, 'x');
  await rogue.world.pass(120);
  await rogue.list();
  await rogue.world.pass(1);
  await rogue.patch({ secrets });
  await learns(rogue, 'lists', 'Replace');
}

/** Plays this scenario: a person removes a secret just before a list of secrets leaves it out, or so that a look tells. */
async function learnsThatListsReplaceFromAnotherHand(
  rogue: Rogue,
  told?: 'by an earlier write' | 'by the answer' | 'by a list',
): Promise<void> {
  const secrets = wantsTheOther(rogue);
  await rogue.list();
  if (told === 'by an earlier write') await rogue.patch({ secrets });
  if (told === 'by the answer') await rogue.patch({ secrets });
  else await rogue.list();
  await rogue.world.pass(1);
  rogue.world.editAtService('secrets.TOKEN', null, 'x');
  if (told === 'by a list') await rogue.list();
  await rogue.world.pass(1);
  if (told !== 'by the answer') await rogue.patch({ secrets });
  await rogue.list();
  await learns(rogue, 'lists', 'Replace');
}

/** Declares another secret than the service has as the whole list, and returns that list. */
function wantsTheOther(rogue: Rogue): WireObject[] {
  const value = 'value-of-the-other';
  rogue.world.putSecret('agent-secrets', { OTHER: value });
  const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'OTHER' } };
  rogue.bind({ secretsOwnership: 'Exclusive', secrets: [{ name: 'OTHER', valueFrom }] }, COUNTED);
  return [{ name: 'OTHER', value }];
}

/**
 * Plays this scenario: another command stays beside the one that a person removes. Only an earlier list shows either of
 * them.
 */
async function emptiesBesideTheOtherCommand(rogue: Rogue): Promise<void> {
  rogue.world.editAtService(OTHER_COMMAND_PATH, 'make', 'x');
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.world.pass(1);
  await rogue.patch(setsURL);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/** Plays this scenario: a list showed the other command to the process that writes, or to one that died before. */
async function emptiesBesideACommandThatWasListed(
  rogue: Rogue,
  shown: 'to this process' | 'to a process that died',
): Promise<void> {
  rogue.world.chronicle.started();
  rogue.bind(wantsURL, COUNTED);
  rogue.world.editAtService(OTHER_COMMAND_PATH, 'make', 'x');
  await rogue.list();
  if (shown === 'to a process that died') {
    rogue.world.chronicle.died();
    rogue.world.chronicle.started();
  }
  await emptiesBesideTheOtherCommand(rogue);
}

/** Plays this scenario: one write sets a command, a second one leaves it out, and then a person removes the URL. */
async function emptiesBesideACommandThatWasSent(rogue: Rogue): Promise<void> {
  rogue.bind({ sourceConfig: { installCommand: 'npm ci', resourceSpec: { cpu: 2 } } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_config: { install_command: 'npm ci' } });
  await rogue.world.pass(70);
  await rogue.list();
  await rogue.patch({ source_config: { resource_spec: { cpu: 2 } } });
  await rogue.world.pass(5);
  rogue.world.editAtService('source_config.custom_url', null, 'x');
  await rogue.list();
  saysThatItWasEmptied(rogue, 'customURL');
}

/** Plays this scenario: a write is answered, and then a person removes the command. */
async function emptiesAfterTheAnswer(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL, COUNTED);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.world.pass(5);
  rogue.world.editAtService(COMMAND_PATH, null, 'x');
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

/** Plays this scenario: the command is set, another write leaves it out, and a list shows neither write. */
async function setsTheCommandBefore(rogue: Rogue): Promise<void> {
  rogue.bind({ sourceConfig: { ...wantsURL.sourceConfig, installCommand: 'npm ci' } }, COUNTED);
  await rogue.list();
  await rogue.patch({ source_config: { install_command: 'npm ci' } });
  await rogue.patch(setsURL);
  await rogue.world.pass(70);
  await rogue.list();
  saysThatItWasEmptied(rogue);
}

export function saysThatItWasEmptied({ world }: Rogue, key = 'installCommand'): void {
  const message = `the service emptied fields that a request left out; the operator puts them back: sourceConfig.${key}`;
  world.events.record(world.resource('x'), warning('SemanticsMismatch', 'Patch', message));
}

async function learnsThatOmissionsAreKept(rogue: Rogue): Promise<void> {
  rogue.bind(wantsURL);
  await rogue.list();
  await rogue.patch(setsURL);
  await rogue.list();
  await learns(rogue, 'omittedFields', 'Keep');
}

/**
 * Plays this scenario: somebody else sets an address just before a write, or an earlier write of ours does, and a list
 * shows that instead of the write. The write rests on a look of some seconds ago.
 */
async function learnsFromAnotherHandThatOmissionsAreKept(
  rogue: Rogue,
  theirs: string,
  seconds = 5,
): Promise<void> {
  rogue.bind(wantsURL, COUNTED);
  await rogue.world.pass(60);
  await rogue.list();
  if (theirs === 'our earlier write')
    await rogue.patch({ source_config: { ...setsURL.source_config, install_command: 'npm ci' } });
  else rogue.world.editAtService('source_config.custom_url', theirs, 'x');
  await rogue.world.pass(seconds);
  await rogue.patch(setsURL);
  await rogue.world.pass(7);
  await rogue.list();
  await learns(rogue, 'omittedFields', 'Keep');
}

/** Plays this scenario: a request with an address and a secret leaves out the command, and another secret of its list. */
async function learnsThatOmissionsAreKeptBesideASecret(rogue: Rogue): Promise<void> {
  const secrets = [{ name: 'TOKEN', value: 'value-of-the-token' }];
  rogue.bind({ ...wantsURL, secretsOwnership: 'Exclusive', secrets }, COUNTED);
  await rogue.list();
  await rogue.patch({ ...setsURL, secrets });
  await rogue.list();
  await learns(rogue, 'omittedFields', 'Keep');
}

async function learnsThatSecretsAreMasked(rogue: Rogue, byHand?: string): Promise<void> {
  rogue.bind({ secrets: [{ name: 'TOKEN', value: 'value-two' }] }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'value-two' }] });
  if (byHand !== undefined) rogue.world.editAtService('secrets.TOKEN', byHand, 'x');
  await rogue.list();
  await learns(rogue, 'secretsVisibility', 'Masked');
}

/** Plays this scenario: a list shows two secrets as sent, and the next one shows some of them as a person edited them. */
async function learnsThatEditedSecretsAreMasked(rogue: Rogue, edited: readonly string[]): Promise<void> {
  const secrets = ['TOKEN', 'PASSWORD'].map((name) => ({ name, value: `value-of-${name}` }));
  rogue.bind({ secrets }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets });
  await rogue.list();
  for (const name of edited) rogue.world.editAtService(`secrets.${name}`, `by-hand-${name}`, 'x');
  await rogue.list();
  await learns(rogue, 'secretsVisibility', 'Masked');
}

/**
 * Plays this scenario: a person edits two secrets, and the status reports Ready. The secrets then seem masked or not. If
 * they do, they may be sent and shown again before a person edits one of them, or the spec may declare other values.
 */
export async function isReadyWithEditedSecrets(
  rogue: Rogue,
  then: 'masked' | 'plain' | 'plain again' | 'shown again' | 'declared anew',
): Promise<void> {
  const secrets = ['TOKEN', 'PASSWORD'].map((name) => ({ name, value: `value-of-${name}` }));
  rogue.bind({ secrets }, COUNTED);
  await rogue.patch({ secrets });
  await rogue.list();
  rogue.claimReady(1);
  await rogue.world.pass(60);
  for (const { name } of secrets) rogue.world.editAtService(`secrets.${name}`, `by-hand-${name}`, 'x');
  await rogue.list();
  if (then !== 'plain') await learns(rogue, 'secretsVisibility', 'Masked');
  if (then.endsWith('again')) {
    await rogue.world.pass(30);
    await rogue.patch({ secrets });
    await rogue.list();
    if (then === 'plain again') await learns(rogue, 'secretsVisibility', 'Plain');
    await rogue.world.pass(30);
    rogue.world.editAtService('secrets.TOKEN', 'by-hand-again', 'x');
  }
  if (then === 'declared anew') {
    rogue.bind({ secrets: secrets.map(({ name }) => ({ name, value: `another-${name}` })) }, COUNTED);
    rogue.claimReady(2);
  }
  await listsFor(rogue, 8);
}

/**
 * Plays this scenario: a list shows two secrets as sent. A person edits some of them, and all of them again soon after
 * that, and a list with a lag shows only the first edits.
 */
async function learnsThatLateSecretsAreMasked(rogue: Rogue, edited: readonly string[]): Promise<void> {
  const secrets = ['TOKEN', 'PASSWORD'].map((name) => ({ name, value: `value-of-${name}` }));
  rogue.bind({ secrets }, COUNTED);
  await rogue.list();
  await rogue.patch({ secrets });
  await rogue.world.pass(30);
  await rogue.list();
  for (const name of edited) rogue.world.editAtService(`secrets.${name}`, `by-hand-${name}`, 'x');
  await rogue.world.pass(15);
  for (const { name } of secrets) rogue.world.editAtService(`secrets.${name}`, `again-${name}`, 'x');
  await rogue.world.pass(10);
  await rogue.list();
  await learns(rogue, 'secretsVisibility', 'Masked');
}

export async function learns(
  { world }: Rogue,
  topic: 'lists' | 'nulls' | 'omittedFields' | 'revisionTrigger' | 'secretsVisibility',
  verdict: string,
): Promise<void> {
  const { connections } = world;
  const connection = connections.peek({ kind: 'Connection', namespace: 'team-a', name: 'default' });
  if (connection === undefined) throw new Error('there is no connection');
  const lesson = { verdict, count: 1, time: '2026-11-20T00:00:00.000Z' };
  await connections.saveStatus(connection, { learned: { [topic]: lesson } });
  await world.pass(1);
}
