import { describe, expect, test } from 'vitest';
import type { DeploymentStatus } from '../../src/api/deployment.ts';
import { warning } from '../../src/model/outcome/event.ts';
import { keyOf } from '../reconcile/support/world.ts';
import { Rogue } from '../support/oracle/rogue.ts';
import { learns } from './lesson-stories.ts';
import { listsFor } from './story.ts';

const TWO = 'https://two.example.com';
const IMAGE = { source_revision_config: { image_uri: 'r.example.com/agent:1' } };

const wrongs = (rogue: Rogue, text: string): readonly string[] =>
  rogue.judged().wrongs.filter((wrong) => wrong.includes(text));

/**
 * Plays a redeploy whose answer is truncated, and another redeploy that a person requests ten seconds later. The first
 * one may also change a field that no list shows. A push may come after it or before it; a list may show the push before.
 */
async function redeploysTwice(
  looks: boolean,
  {
    pushed,
    unlisted,
  }: { readonly pushed?: 'after' | 'before' | 'before, and listed'; readonly unlisted?: true } = {},
): Promise<Rogue> {
  const listShape = unlisted === true ? (['no-image-uri'] as const) : [];
  const rogue = new Rogue({ semantics: { trigger: pushed === undefined ? 'always' : 'never', listShape } });
  const push = (): void =>
    void rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  rogue.bind({});
  await rogue.list();
  if (pushed?.startsWith('before') === true) push();
  if (pushed === 'before, and listed') await rogue.list();
  await rogue.world.pass(1);
  rogue.world.annotate('redeploy', 'one', 'x');
  rogue.world.fault({ kind: 'truncate' });
  const body = unlisted === true ? { source_revision_config: { image_uri: 'r.example.com/agent:2' } } : IMAGE;
  await rogue.patch(body);
  await rogue.world.pass(5);
  if (pushed === 'after') push();
  if (looks) await rogue.list();
  await rogue.world.pass(5);
  rogue.world.annotate('redeploy', 'two', 'x');
  await rogue.patch(body);
  return rogue;
}

/**
 * Plays a request that empties a secret of a paused resource. After ten minutes the spec declares all secrets without
 * that one, and the resource is resumed.
 */
async function emptiesASecretBeforeAPause(declared: boolean): Promise<Rogue> {
  const spec = { secretsOwnership: 'Exclusive', deploymentRef: { name: 'x' } } as const;
  const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared' } });
  rogue.bind(spec);
  await rogue.list();
  await rogue.patch(IMAGE);
  rogue.world.annotate('paused', 'true', 'x');
  await rogue.world.pass(600);
  rogue.world.apply(declared ? { ...spec, secrets: [] } : spec, 'x');
  await listsFor(rogue, 10);
  return rogue;
}

/** Plays a request that empties a secret, and a spec that for two minutes declares all secrets without that one. */
async function emptiesASecretOfNoSpec(declared: boolean): Promise<Rogue> {
  const spec = { secretsOwnership: 'Exclusive', deploymentRef: { name: 'x' } } as const;
  const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared' } });
  rogue.bind(spec);
  await rogue.list();
  await rogue.patch(IMAGE);
  await rogue.world.pass(1);
  if (declared) rogue.world.apply({ ...spec, secrets: [] }, 'x');
  await rogue.world.pass(120);
  rogue.world.apply(spec, 'x');
  await listsFor(rogue, 10);
  return rogue;
}

/** Plays two requests that leave the secrets out, and a status which says after both of them that one is listed. */
async function saysThatASecretIsListed(patchEcho: 'sent-only' | 'post', seconds: number): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared', patchEcho } });
  rogue.bind({});
  await rogue.list();
  await rogue.patch(IMAGE);
  await rogue.list();
  await rogue.world.pass(seconds);
  await rogue.patch(IMAGE);
  rogue.claimStop('UnmanagedSecretsPresent', 'secrets are not sent: the service also lists TOKEN; set it');
  return rogue;
}

/** Plays a request that the service refuses, whose answer is damaged in transit, and the same request again. */
async function repeatsARefusal(kind: 'truncate' | 'reset-mid-body'): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'merge-null-rejected' } } });
  rogue.bind({ clear: ['sourceConfig.installCommand'] });
  await rogue.list();
  rogue.world.fault({ kind });
  for (let time = 0; time < 2; time += 1) await rogue.patch({ source_config: { install_command: null } });
  return rogue;
}

/**
 * Plays this scenario: one of our requests empties a command and another restores it. A person empties it some seconds
 * later, and a third request carries it.
 */
async function carriesWhatAPersonEmptied(seconds: number): Promise<Rogue> {
  const url = (custom_url: string) => ({ custom_url });
  const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'replace' } } });
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.list();
  await rogue.patch({ source_config: url(TWO) });
  await rogue.list();
  await rogue.patch({ source_config: { ...url(TWO), install_command: 'npm ci' } });
  await rogue.world.pass(seconds);
  rogue.world.editAtService('source_config.install_command', null, 'x');
  await rogue.list();
  await rogue.patch({ source_config: { ...url(TWO), install_command: 'npm ci' } });
  return rogue;
}

/** Plays passes over the list at rest, five seconds apart, and the events right after the last of them. */
async function readsTheList(
  passes: number,
  next?: (rogue: Rogue) => Promise<void>,
  before?: (rogue: Rogue) => void,
): Promise<Rogue> {
  const rogue = new Rogue();
  rogue.bind({ sourceConfig: { customURL: 'https://one.example.com' } });
  before?.(rogue);
  await rogue.world.pass(400);
  for (let pass = 0; pass < passes; pass += 1) {
    await rogue.world.pass(5);
    await rogue.list();
  }
  await next?.(rogue);
  return rogue;
}

/** Plays a refused request, an edit of the spec right after it, and a status that blames the value of the first generation. */
async function blamesTheFirstURL(sent: string): Promise<Rogue> {
  const wants = (customURL: string) => ({ deploymentRef: { name: 'x' }, sourceConfig: { customURL } });
  const rogue = new Rogue();
  rogue.bind(wants(TWO));
  await rogue.list();
  rogue.world.fault({ kind: 'status', status: 422 });
  await rogue.patch({ source_config: { custom_url: sent } });
  rogue.world.apply(wants('https://three.example.com'), 'x');
  rogue.claimStop(
    'ImmutableFieldChanged',
    'the service refused to change sourceConfig.customURL to this value',
  );
  return rogue;
}

/** Plays a refused request with the current repository of the service, and a status that blames the repository. */
async function blamesTheRepository(shown: boolean): Promise<Rogue> {
  const repo = 'https://code.example.com/agent';
  const rogue = new Rogue({
    deployments: [
      {
        name: 'x',
        source: 'codehost',
        sourceConfig: { repo_url: repo },
        revisionConfig: { repo_ref: 'main' },
      },
    ],
    semantics: shown ? {} : { listShape: ['empty-source-config'] },
  });
  await rogue.list();
  const wants = (repoURL: string) =>
    ({ source: 'codehost', sourceConfig: { repoURL, buildCommand: 'make' } }) as const;
  rogue.bind(wants('https://code.example.com/other'));
  rogue.world.fault({ kind: 'status', status: 422 }, { times: 2 });
  await rogue.patch({ source_config: { repo_url: 'https://code.example.com/other', build_command: 'make' } });
  await rogue.world.pass(60);
  rogue.bind(wants(repo));
  await rogue.patch({ source_config: { repo_url: repo, build_command: 'make' } });
  rogue.claimStop('ImmutableFieldChanged');
  await listsFor(rogue, 10);
  return rogue;
}

/** Plays a refused request for another repository, and one beside it that asks for the old or the other repository. */
async function blamesTheOtherRepository(beside: 'agent' | 'other'): Promise<Rogue> {
  const url = (name: string): string => `https://code.example.com/${name}`;
  const rogue = new Rogue({
    deployments: [{ name: 'x', source: 'codehost', revisionConfig: { repo_ref: 'main' } }],
  });
  await rogue.list();
  const wants = {
    source: 'codehost',
    sourceConfig: { repoURL: url('other'), buildCommand: 'make' },
  } as const;
  rogue.bind(wants);
  rogue.world.fault({ kind: 'status', status: 422 }, { times: 2 });
  await rogue.patch({ source_config: { repo_url: url('other') } });
  await rogue.patch({ source_config: { repo_url: url(beside), build_command: 'make' } });
  await rogue.world.pass(60);
  rogue.bind({ ...wants, sourceRevisionConfig: { repoRef: 'main' } });
  rogue.claimStop('ImmutableFieldChanged');
  await listsFor(rogue, 10);
  return rogue;
}

/** Plays a list of secrets without TOKEN, which an earlier request removed by accident. A list may still show TOKEN. */
async function removesTheTokenAgain(lagS: number): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared', listLag: { seconds: lagS } } });
  rogue.bind({ secretsOwnership: 'Exclusive', sourceConfig: { customURL: TWO }, secrets: [] });
  await rogue.world.pass(60);
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(5);
  await rogue.list();
  await rogue.patch({ secrets: [] });
  return rogue;
}

/**
 * Sends an empty list of secrets after another empty list that was sent or not sent, and that a request removed by
 * accident since.
 */
async function removesWhatIsNotShown(isSent: boolean, secretsEcho: 'omitted' | 'names-only'): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { topLevelOmit: 'cleared', secretsEcho } });
  rogue.bind({ secretsOwnership: 'Exclusive', sourceConfig: { customURL: TWO }, secrets: [] });
  if (isSent) await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'next-value-of-the-token' }] });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.list();
  await rogue.patch({ secrets: [] });
  return rogue;
}

/** Plays requests that empty the secrets, a window apart; no answer, list or revision shows what they do. */
async function emptiesUnseenSecrets(times: number): Promise<Rogue> {
  const rogue = new Rogue({
    semantics: { listShape: ['no-secrets'], patchEcho: 'empty-204', trigger: 'never' },
  });
  rogue.bind({ secretsOwnership: 'Exclusive', secrets: [] });
  for (let time = 0; time < times; time += 1) {
    await rogue.list();
    await rogue.patch({ secrets: [] });
    await rogue.world.pass(61);
  }
  return rogue;
}

/**
 * Plays a truncated request, a list that shows it, and a list, begun some seconds later, that shows the state before
 * it.
 */
async function repeatsWhatALateListLacks(afterS: number): Promise<Rogue> {
  const rogue = new Rogue();
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.world.pass(60);
  await rogue.list();
  rogue.world.fault({ kind: 'delay', ms: 12_000 });
  rogue.world.fault({ kind: 'apply-then-fail', how: 500 });
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.list();
  await rogue.world.pass(afterS - 12);
  rogue.world.become({ stale: { every: 1, seconds: 90 } });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  return rogue;
}

/** Sends a masked secret twice, and twice more after the given number of edits at the service. */
async function repeatsAMaskedSecret(edits: number): Promise<Rogue> {
  const secrets = [{ name: 'TOKEN', value: 'next-value-of-the-token' }];
  const rogue = new Rogue({ semantics: { secretsEcho: 'stars' } });
  rogue.bind({ secrets });
  await rogue.patch({ secrets });
  await rogue.patch({ secrets });
  await listsFor(rogue, 2);
  for (let edit = 0; edit < edits; edit += 1) rogue.world.editAtService('secrets.TOKEN', 'set-by-hand', 'x');
  await listsFor(rogue, 2);
  await rogue.patch({ secrets });
  await rogue.patch({ secrets });
  return rogue;
}

/**
 * Reports that the service lists a secret twice, after a page that shows it once: before the last page of that pass, or
 * after it.
 */
async function saysThatASecretIsDoubled(when: 'within the pass' | 'after it'): Promise<Rogue> {
  const secrets = [{ name: 'TOKEN', value: 'next-value-of-the-token' }];
  const rogue = new Rogue({ semantics: { lists: 'append', secretsEcho: 'plain' } });
  rogue.bind({ secrets });
  await rogue.world.pass(60);
  await rogue.patch({ secrets });
  await rogue.page(0);
  await rogue.page(2);
  await rogue.world.pass(60);
  rogue.world.editAtService('secrets.TOKEN', 'set-by-hand', 'x');
  await rogue.page(0);
  if (when === 'after it') await rogue.page(2);
  await rogue.world.pass(1);
  rogue.claimStop(
    'NotConverging',
    'the service lists TOKEN more than once: it adds sent secrets to its list',
  );
  if (when === 'within the pass') await rogue.page(2);
  return rogue;
}

/** Reports that the service lists a secret, after a page without it: before the last page of that pass, or after it. */
async function saysThatAGoneSecretIsListed(when: 'within the pass' | 'as it ends'): Promise<Rogue> {
  const rogue = new Rogue();
  rogue.bind({ secrets: [] });
  await rogue.page(0);
  await rogue.page(2);
  rogue.world.editAtService('secrets.TOKEN', null, 'x');
  await rogue.world.pass(60);
  await rogue.page(0);
  if (when === 'as it ends') await rogue.page(2);
  rogue.claimStop('UnmanagedSecretsPresent', 'secrets are not sent: the service also lists TOKEN; set it');
  if (when === 'within the pass') await rogue.page(2);
  return rogue;
}

/** Reports that a field stays, some seconds after a request that emptied it, based on a list that still shows it. */
async function saysThatAFieldStays(seconds: number): Promise<Rogue> {
  const rogue = new Rogue();
  rogue.bind({ clear: ['sourceConfig.customURL'] });
  await rogue.world.pass(200);
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: null } });
  await rogue.world.pass(seconds);
  rogue.world.become({ stale: { every: 1, seconds: 90 } });
  await rogue.list();
  rogue.claimStop(
    'FieldNotClearable',
    'sourceConfig.customURL should be emptied, but the service keeps its value',
  );
  return rogue;
}

/** Empties a field in several requests, and reports that the service keeps its value. Lists show no such field. */
async function saysThatADefaultStays(requests: number): Promise<Rogue> {
  const rogue = new Rogue({
    deployments: [{ name: 'x', sourceConfig: { resource_spec: { cpu: 2, memory_mb: 512 } } }],
    semantics: { normalise: ['add-defaults'], listShape: ['empty-source-config'] },
  });
  rogue.bind({ clear: ['sourceConfig.resourceSpec.cpu'] });
  for (let request = 0; request < requests; request += 1) {
    await rogue.patch({ source_config: { resource_spec: { cpu: null, memory_mb: 512 } } });
    await rogue.world.pass(120);
  }
  rogue.claimStop(
    'FieldNotClearable',
    'sourceConfig.resourceSpec.cpu should be emptied, but the service keeps its value',
  );
  return rogue;
}

/** Learns that nulls are ignored, from a field that the service keeps or from one that it empties. */
async function learnsThatNullsAreIgnored(isFixed: boolean): Promise<Rogue> {
  const fieldRules = isFixed ? { 'source_config.custom_url': 'pretended' as const } : {};
  const rogue = new Rogue({ semantics: { fieldRules, nested: { sourceConfig: 'replace' } } });
  await learns(rogue, 'nulls', 'Ignored');
  return rogue;
}

/**
 * Plays this scenario: a request empties the image and with it the graph, whether or not a person emptied the image
 * just before. A list lags.
 */
async function emptiesTheGraph(byHand: boolean): Promise<Rogue> {
  const revisionConfig = { image_uri: 'r.example.com/agent:1', graph_config_path: 'graph.json' };
  const rogue = new Rogue({
    deployments: [{ name: 'x', sourceConfig: { build_command: 'make' }, revisionConfig }],
    semantics: { nested: { revisionConfig: 'replace' }, listLag: { seconds: 20 } },
  });
  rogue.bind({ clear: ['sourceRevisionConfig.imageURI'] });
  await rogue.world.pass(60);
  await rogue.list();
  if (byHand) rogue.world.editAtService('source_revision_config.image_uri', null, 'x');
  await rogue.world.pass(15);
  await rogue.patch({ source_revision_config: { image_uri: null } });
  await rogue.world.pass(10);
  await rogue.list();
  await listsFor(rogue, 10);
  return rogue;
}

/**
 * Plays this scenario: a person empties the command, a request puts it back that many seconds later, and the next one
 * leaves it out.
 */
async function removesTheCommandAgain(seconds: number): Promise<Rogue> {
  const deployments = [{ name: 'x', sourceConfig: { build_command: 'make', custom_url: 'https://a.test' } }];
  const rogue = new Rogue({ deployments, semantics: { nested: { sourceConfig: 'replace' } } });
  rogue.bind({});
  await rogue.world.pass(100);
  await rogue.list();
  rogue.world.editAtService('source_config.build_command', null, 'x');
  await rogue.world.pass(seconds);
  await rogue.patch({ source_config: { build_command: 'make', custom_url: 'https://b.test' } });
  await rogue.world.pass(5);
  await rogue.patch({ source_config: { custom_url: 'https://c.test' } });
  await listsFor(rogue, 10);
  return rogue;
}

/**
 * Plays this scenario: a request sets a branch and empties the commands. A commit replaces the branch, possibly the
 * commit of a push just before.
 */
async function setsTheBranch(pushed: boolean): Promise<Rogue> {
  const sourceConfig = { repo_url: 'https://code.example.com/agent', build_command: 'make' };
  const rogue = new Rogue({
    deployments: [{ name: 'x', source: 'codehost', sourceConfig, revisionConfig: { repo_ref: 'main' } }],
    semantics: {
      ...{ topLevelOmit: 'cleared', normalise: ['ref-to-sha'], trigger: 'never', listLag: { seconds: 20 } },
    },
  });
  rogue.bind({ source: 'codehost', sourceRevisionConfig: { repoRef: 'release' } });
  await rogue.world.pass(60);
  await rogue.list();
  if (pushed) rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  await rogue.world.pass(6);
  await rogue.patch({ source_revision_config: { repo_ref: 'release' } });
  await rogue.world.pass(16);
  await rogue.list();
  await listsFor(rogue, 10);
  return rogue;
}

/**
 * Plays this scenario: a request empties a command. A report names the command ten minutes later, at the first list
 * since. The list before it may be refused, or a request right before that list may end with a status.
 */
async function namesTheCommandLate(refused: boolean, status?: number): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { nested: { sourceConfig: 'replace' } } });
  rogue.bind({ sourceConfig: { customURL: TWO } });
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: TWO } });
  await rogue.world.pass(240);
  if (refused) rogue.world.fault({ kind: 'status', status: 401 }, { match: { operation: 'list' } });
  if (status !== undefined) {
    rogue.world.fault({ kind: 'status', status }, { match: { operation: 'patch' } });
    await rogue.patch({ source_config: { custom_url: TWO } });
  }
  await rogue.list();
  await rogue.world.pass(360);
  await rogue.list();
  const lost = ['sourceConfig.installCommand', 'sourceConfig.buildCommand'];
  rogue.claimStop('NotConverging', `gone after a write and not put back: ${lost.join(', ')}`, lost);
  await rogue.world.pass(600);
  return rogue;
}

/**
 * Plays a pass over the list whose last page is answered with 429, which a Ready connection does not report. The address
 * of the connection changes within the pass, in its first moment, before it, or never.
 */
async function isSilentAfterALimit(moves?: 'within the pass' | 'as it begins' | 'before it'): Promise<Rogue> {
  const rogue = new Rogue();
  const { connections } = rogue.world;
  const connection = connections.peek({ kind: 'Connection', namespace: 'team-a', name: 'default' });
  if (connection === undefined) throw new Error('there is no connection');
  const since = '2026-11-20T00:00:00.000Z';
  const said = { observedGeneration: 1, lastTransitionTime: since } as const;
  const ready = { type: 'Ready', status: 'True', reason: 'Ok', message: '', ...said } as const;
  await connections.saveStatus(connection, { conditions: [ready] });
  const move = (): void => rogue.world.connect({ baseURL: 'https://moved.example.com/api' });
  if (moves === 'before it') move();
  await rogue.world.pass(1);
  if (moves === 'as it begins') move();
  await rogue.page(0);
  if (moves === 'within the pass') move();
  await rogue.world.pass(1);
  const fault = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
  rogue.world.fault(fault, { match: { operation: 'list' } });
  await rogue.page(2);
  await rogue.world.pass(120);
  return rogue;
}

/**
 * Announces an image that no list shows, and the service refuses the request. A push makes a revision, or the list shows
 * none. The next request is announced and withdrawn, and the status says that the generation is applied.
 */
async function takesARevisionForItsOwn(pushed: boolean): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { listShape: ['no-image-uri'] } });
  const generation = 1;
  const write = (field: string, time: string): DeploymentStatus => ({
    pendingWrite: { operation: 'Patch', bodyDigest: '', paths: [field], generation, time, attempt: 1 },
  });
  const first = write('sourceRevisionConfig.imageURI', '2026-11-20T00:00:00.000Z');
  rogue.bind({ sourceRevisionConfig: { imageURI: 'r.example.com/agent:2' } });
  await rogue.list();
  await rogue.world.pass(1);
  rogue.claim(first);
  rogue.world.fault({ kind: 'status', status: 422 });
  await rogue.patch({ source_revision_config: { image_uri: 'r.example.com/agent:2' } });
  await rogue.world.pass(1);
  if (pushed) rogue.world.service.act({ kind: 'push', deployment: 'x', commit: 'c'.repeat(40), build: true });
  await rogue.list();
  await rogue.world.pass(1);
  rogue.claim(write('sourceConfig.customURL', '2026-11-20T00:00:03.000Z'));
  rogue.claim(first);
  rogue.claimReady(generation);
  return rogue;
}

/**
 * Sends an image that lists show after more than two minutes, and then announces it with a command that lists never show,
 * some seconds after the first request. The service refuses that, the next list shows the image, and the status says
 * that the generation is applied.
 */
async function takesAnEarlierRevisionForItsOwn(seconds: number): Promise<Rogue> {
  const rogue = new Rogue({
    semantics: { listShape: ['no-commands'], listLag: { seconds: 120 }, patchEcho: 'empty-202' },
  });
  const image = { image_uri: 'r.example.com/agent:2' };
  const generation = 1;
  rogue.bind(
    { sourceConfig: { buildCommand: 'make two' }, sourceRevisionConfig: { imageURI: image.image_uri } },
    { observedGeneration: generation },
  );
  await rogue.patch({ source_revision_config: image });
  await rogue.world.pass(seconds);
  await rogue.list();
  const paths = ['sourceConfig.buildCommand', 'sourceRevisionConfig.imageURI'];
  const time = new Date(rogue.world.clock.now()).toISOString();
  rogue.claim({ pendingWrite: { operation: 'Patch', bodyDigest: '', paths, generation, time, attempt: 1 } });
  rogue.world.fault({ kind: 'status', status: 504 });
  await rogue.patch({ source_config: { build_command: 'make two' }, source_revision_config: image });
  await rogue.world.pass(125 - seconds);
  await rogue.list();
  rogue.claimReady(generation);
  return rogue;
}

/**
 * Announces a request that changes a secret while the status says that secrets are not sent, and edits the spec right
 * after its answer; then the status says so once more, if it still does.
 */
async function saysNothingOfASentSecret(stillSays: boolean): Promise<Rogue> {
  const rogue = new Rogue();
  rogue.bind({});
  await rogue.list();
  const message = 'secrets are not sent: the service also lists OTHER';
  const time = '2026-11-20T00:00:00.000Z';
  const stopped = { status: 'False', reason: 'UnmanagedSecretsPresent', message } as const;
  const conditions = [{ ...stopped, type: 'Synced', observedGeneration: 1, lastTransitionTime: time }];
  const request = { operation: 'Patch', bodyDigest: '', paths: ['secrets'] } as const;
  rogue.claim({ conditions, pendingWrite: { ...request, generation: 1, time, attempt: 1 } });
  await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'rotated' }] });
  rogue.world.apply({ deploymentRef: { name: 'x' }, sourceConfig: { customURL: TWO } }, 'x');
  await rogue.world.pass(1);
  rogue.claim(stillSays ? { conditions } : {});
  return rogue;
}

/**
 * Plays a request that drops a secret, a list so many seconds old after its window, and a request that carries a value
 * of that secret while the status says that secrets are not sent.
 */
async function carriesADroppedSecret(seconds: number, value: string): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { secretsEcho: 'plain' } });
  const next = { name: 'NEXT', value: 'value-of-the-next' };
  rogue.bind({ secrets: [next] });
  await rogue.world.pass(200);
  await rogue.patch({ secrets: [next] });
  rogue.claimReady(1);
  await rogue.world.pass(61);
  rogue.world.become({ stale: { every: 1, seconds } });
  await rogue.list();
  await rogue.patch({ ...IMAGE, secrets: [{ name: 'TOKEN', value }] });
  rogue.claimStop('UnmanagedSecretsPresent', 'secrets are not sent: the service also lists TOKEN; set it');
  return rogue;
}

/**
 * Plays this scenario: a request for another command takes twelve seconds. This many seconds later, a list shows the
 * command before it, and the next request carries that.
 */
async function putsBackAsListed(seconds: number): Promise<Rogue> {
  const rogue = new Rogue({ semantics: { listLag: { seconds: 600 } } });
  rogue.bind({ sourceConfig: { installCommand: 'make' } });
  await rogue.list();
  rogue.world.fault({ kind: 'delay', ms: 12_000 });
  await rogue.patch({ source_config: { install_command: 'make' } });
  rogue.bind({ sourceConfig: { customURL: 'https://two.example.com' } });
  await rogue.world.pass(seconds);
  await rogue.list();
  await rogue.patch({ source_config: { custom_url: 'https://two.example.com', install_command: 'npm ci' } });
  return rogue;
}

describe('the oracle spares', () => {
  test('a connection without a word about a limit, if its settings changed since the limited pass began', async () => {
    expect(wrongs(await isSilentAfterALimit('within the pass'), 'after a 429')).toEqual([]);
    expect(wrongs(await isSilentAfterALimit('as it begins'), 'after a 429')).toEqual([]);
    expect(wrongs(await isSilentAfterALimit('before it'), 'after a 429')).toHaveLength(1);
    expect(wrongs(await isSilentAfterALimit(), 'after a 429')).toHaveLength(1);
  });

  test('a loss that is reported at the first list after a refused list or a refused credential', async () => {
    expect(wrongs(await namesTheCommandLate(true), 'emptied')).toEqual([]);
    expect(wrongs(await namesTheCommandLate(false), 'emptied')).not.toEqual([]);
    expect(wrongs(await namesTheCommandLate(false, 401), 'emptied')).toEqual([]);
    expect(wrongs(await namesTheCommandLate(false, 422), 'emptied')).not.toEqual([]);
  });

  test('a redeploy that a person requests again, once a list shows the revision of the first one', async () => {
    expect(wrongs(await redeploysTwice(true), 'repeats')).toEqual([]);
    expect(wrongs(await redeploysTwice(false), 'repeats')).toHaveLength(1);
    for (const pushed of ['after', 'before'] as const) {
      const taken = await redeploysTwice(true, { pushed });
      expect(wrongs(taken, 'repeats')).toEqual([]);
      expect(taken.judged().excused).toMatchObject({ 'somebody else did the same': 1 });
    }
    expect(wrongs(await redeploysTwice(true, { pushed: 'before, and listed' }), 'repeats')).toHaveLength(1);
    expect(wrongs(await redeploysTwice(true, { unlisted: true }), 'repeats')).toEqual([]);
    expect(wrongs(await redeploysTwice(false, { unlisted: true }), 'repeats')).toHaveLength(1);
  });

  test('a secret that a request empties, if the spec soon declares all secrets without it', async () => {
    expect(wrongs(await emptiesASecretOfNoSpec(true), 'emptied secrets')).toEqual([]);
    expect(wrongs(await emptiesASecretOfNoSpec(false), 'emptied secrets')).toHaveLength(1);
    expect(wrongs(await emptiesASecretBeforeAPause(true), 'emptied secrets')).toEqual([]);
    expect(wrongs(await emptiesASecretBeforeAPause(false), 'emptied secrets')).toHaveLength(1);
  });

  test('a refused request that is soon repeated, if the text of the refusal was truncated', async () => {
    expect(wrongs(await repeatsARefusal('truncate'), 'repeats')).toEqual([]);
    expect(wrongs(await repeatsARefusal('reset-mid-body'), 'repeats')).toHaveLength(1);
  });

  test('a field that a person just emptied, if a list may show it as before the write that restored it', async () => {
    const rogue = await carriesWhatAPersonEmptied(5);
    expect(rogue.judged().excused).toMatchObject({ 'edited after the last look': 1 });
    expect(wrongs(rogue, 'no spec asks for')).toEqual([]);
    expect(wrongs(await carriesWhatAPersonEmptied(90), 'no spec asks for')).toHaveLength(1);
  });

  test('a third pass over the list for the check of a connection, or just before a write', async () => {
    expect(wrongs(await readsTheList(3), 'passes over the list')).toHaveLength(1);
    expect(wrongs(await readsTheList(3, (rogue) => rogue.create('y')), 'passes over the list')).toEqual([]);
    const creates = (seconds: number) => async (rogue: Rogue) => {
      await rogue.world.pass(seconds);
      await rogue.create('y');
    };
    expect(wrongs(await readsTheList(3, creates(4)), 'passes over the list')).toEqual([]);
    expect(wrongs(await readsTheList(3, creates(8)), 'passes over the list')).toHaveLength(1);
    const patches = (seconds: number) => async (rogue: Rogue) => {
      await rogue.world.pass(seconds);
      await rogue.patch({ source_config: { custom_url: 'https://one.example.com' } });
    };
    expect(wrongs(await readsTheList(3, patches(4)), 'passes over the list')).toEqual([]);
    expect(wrongs(await readsTheList(3, patches(8)), 'passes over the list')).toHaveLength(1);
    expect(wrongs(await readsTheList(3, (rogue) => rogue.providers()), 'passes over the list')).toEqual([]);
    const late = (seconds: number) => async (rogue: Rogue) => {
      await rogue.world.pass(seconds);
      await rogue.providers();
    };
    expect(wrongs(await readsTheList(3, late(4)), 'passes over the list')).toEqual([]);
    expect(wrongs(await readsTheList(3, late(8)), 'passes over the list')).toHaveLength(1);
    expect(wrongs(await readsTheList(4, (rogue) => rogue.providers()), 'passes over the list')).toHaveLength(
      1,
    );
    const confirms = async ({ world }: Rogue): Promise<void> => {
      world.events.record(world.resource('x'), warning('MassAbsence', 'Observe', 'most are missing'));
      await world.pass(1);
    };
    expect(wrongs(await readsTheList(3, confirms), 'passes over the list')).toEqual([]);
  });

  test('masked secrets that go twice more after a process that died before it recorded the first request', async () => {
    const sends = async (dies: boolean): Promise<Rogue> => {
      const rogue = new Rogue({ semantics: { secretsEcho: 'stars' } });
      rogue.bind(
        { secrets: [{ name: 'TOKEN', value: 'new-value-of-the-token' }] },
        { observedGeneration: 1 },
      );
      for (let sent = 0; sent < 3; sent += 1) {
        await rogue.patch({ secrets: [{ name: 'TOKEN', value: 'new-value-of-the-token' }] });
        await rogue.world.pass(120);
        if (dies && sent === 0) rogue.world.chronicle.started();
        await rogue.world.pass(1);
      }
      return rogue;
    };
    expect(wrongs(await sends(true), 'changes nothing')).toEqual([]);
    expect(wrongs(await sends(false), 'changes nothing')).toHaveLength(1);
  });

  test('masked secrets that go once more after an answer without the deployment', async () => {
    const sends = async (times: number, patchEcho: 'empty-202' | 'post'): Promise<Rogue> => {
      const rogue = new Rogue({ semantics: { secretsEcho: 'stars', patchEcho } });
      const secrets = [{ name: 'TOKEN', value: 'value-of-the-token' }];
      rogue.bind({ secrets }, { observedGeneration: 1 });
      for (let sent = 0; sent < times; sent += 1) {
        await rogue.patch({ secrets });
        await rogue.world.pass(120);
      }
      return rogue;
    };
    expect(wrongs(await sends(2, 'empty-202'), 'changes nothing')).toEqual([]);
    expect(wrongs(await sends(3, 'empty-202'), 'changes nothing')).toHaveLength(1);
    expect(wrongs(await sends(2, 'post'), 'changes nothing')).toHaveLength(1);
  });

  test('a value from before an edit, if the pass over the list that showed it has just ended', async () => {
    const sends = async (endsAfterS: number): Promise<Rogue> => {
      const rogue = new Rogue();
      rogue.bind({}, { observedGeneration: 1 });
      await rogue.page(0);
      await rogue.world.pass(1);
      rogue.world.editAtService('source_config.install_command', 'by hand', 'x');
      await rogue.world.pass(endsAfterS);
      await rogue.page(2);
      await rogue.world.pass(13 - endsAfterS);
      await rogue.patch({ source_config: { install_command: 'npm ci' } });
      return rogue;
    };
    expect(wrongs(await sends(12), 'sets source_config.install_command')).toEqual([]);
    expect(wrongs(await sends(0), 'sets source_config.install_command')).toHaveLength(1);
  });

  test('a third pass over the list while a deployment is being deleted', async () => {
    const deletes = ({ world: { store } }: Rogue): void => {
      store.edit(keyOf('x'), (one) => ({ ...one, metadata: { ...one.metadata, finalizers: ['held'] } }));
      store.remove(keyOf('x'));
    };
    expect(wrongs(await readsTheList(3, undefined, deletes), 'passes over the list')).toEqual([]);
    expect(wrongs(await readsTheList(4, undefined, deletes), 'passes over the list')).toHaveLength(1);
  });

  test('a refused repository that the service already has, if no read has shown it', async () => {
    expect(wrongs(await blamesTheRepository(false), 'after its end')).toEqual([]);
    expect(wrongs(await blamesTheRepository(true), 'after its end')).toHaveLength(1);
  });

  test('a refused repository beside a later refusal of the old one', async () => {
    expect(wrongs(await blamesTheOtherRepository('agent'), 'after its end')).toEqual([]);
    expect(wrongs(await blamesTheOtherRepository('other'), 'after its end')).toHaveLength(1);
  });

  test('a refusal of the value of the generation in the status, if the spec was edited since', async () => {
    expect(wrongs(await blamesTheFirstURL(TWO), 'says ImmutableFieldChanged')).toEqual([]);
    const another = await blamesTheFirstURL('https://three.example.com');
    expect(wrongs(another, 'says ImmutableFieldChanged')).toHaveLength(1);
  });

  test('a list of secrets without one that lists still show', async () => {
    expect(wrongs(await removesTheTokenAgain(20), 'changes nothing')).toEqual([]);
    expect(wrongs(await removesTheTokenAgain(0), 'changes nothing')).toHaveLength(1);
  });

  test('a secret that an earlier request emptied and that counts as listed, until an answer or time tells', async () => {
    const text = 'says UnmanagedSecretsPresent';
    expect(wrongs(await saysThatASecretIsListed('sent-only', 20), text)).toEqual([]);
    expect(wrongs(await saysThatASecretIsListed('sent-only', 61), text)).toHaveLength(1);
    expect(wrongs(await saysThatASecretIsListed('post', 20), text)).toHaveLength(1);
  });

  test('an empty list of secrets after one that was sent, if no read has ever shown any', async () => {
    const rogue = await removesWhatIsNotShown(true, 'omitted');
    expect(rogue.judged().excused).toMatchObject({ 'secrets are masked': 1 });
    expect(wrongs(rogue, 'changes nothing')).toEqual([]);
    expect(wrongs(await removesWhatIsNotShown(true, 'names-only'), 'changes nothing')).toHaveLength(1);
    expect(wrongs(await removesWhatIsNotShown(false, 'omitted'), 'changes nothing')).toHaveLength(1);
  });

  test('an empty list of secrets that is sent once more after an answer without the deployment', async () => {
    const rogue = await emptiesUnseenSecrets(2);
    expect(rogue.judged().excused).toMatchObject({ 'the outcome was unknown': 1 });
    expect(wrongs(rogue, 'changes nothing')).toEqual([]);
    expect(wrongs(await emptiesUnseenSecrets(3), 'changes nothing')).toHaveLength(1);
  });

  test('a generation that seems applied by a push, also after an announcement that was withdrawn', async () => {
    const rogue = await takesARevisionForItsOwn(true);
    expect(rogue.judged().excused).toMatchObject({ 'somebody else did the same': 1 });
    expect(wrongs(rogue, 'never applied')).toEqual([]);
    expect(wrongs(await takesARevisionForItsOwn(false), 'never applied')).toHaveLength(1);
  });

  test('a generation that seems applied by an earlier request, which a list lacked after its window', async () => {
    const rogue = await takesAnEarlierRevisionForItsOwn(100);
    expect(rogue.judged().excused).toMatchObject({ 'a list lags beyond the window': 1 });
    expect(wrongs(rogue, 'never applied')).toEqual([]);
    expect(wrongs(await takesAnEarlierRevisionForItsOwn(40), 'never applied')).toHaveLength(1);
  });

  test('a request that is repeated because a list lags beyond the window of the first one', async () => {
    expect(wrongs(await repeatsWhatALateListLacks(65), 'changes nothing')).toEqual([]);
    expect(wrongs(await repeatsWhatALateListLacks(40), 'changes nothing')).toHaveLength(1);
  });

  test('a value put back as a late list shows it: the window begins with the request, however long that took', async () => {
    const text = 'sets source_config.install_command';
    const late = await putsBackAsListed(50);
    expect(late.judged().excused).toMatchObject({ 'a list lags beyond the window': 1 });
    expect(wrongs(late, text)).toEqual([]);
    expect(wrongs(await putsBackAsListed(40), text)).toHaveLength(1);
  });

  test('a field that a request empties in a block, if a list shows the action of a person just before it', async () => {
    const rogue = await emptiesTheGraph(true);
    expect(rogue.judged().excused).toMatchObject({ 'somebody else did the same': 1 });
    expect(wrongs(rogue, 'emptied')).toEqual([]);
    expect(wrongs(await emptiesTheGraph(false), 'emptied')).toHaveLength(1);
  });

  test('a field that a request empties after a person did, if a request between them put it back', async () => {
    expect(wrongs(await removesTheCommandAgain(15), 'emptied')).toEqual([]);
    expect(wrongs(await removesTheCommandAgain(90), 'emptied')).toHaveLength(1);
  });

  test('a field that a request empties, if a list shows the commit of an earlier push, not its branch', async () => {
    const rogue = await setsTheBranch(true);
    expect(rogue.judged().excused).toMatchObject({ 'somebody else did the same': 2 });
    expect(wrongs(rogue, 'emptied')).toEqual([]);
    expect(wrongs(await setsTheBranch(false), 'emptied')).toHaveLength(2);
  });

  test('a masked secret that is sent once more, and again if another client changed it in between', async () => {
    expect(wrongs(await repeatsAMaskedSecret(1), 'changes nothing')).toEqual([]);
    expect(wrongs(await repeatsAMaskedSecret(0), 'changes nothing')).toHaveLength(2);
  });

  test('a secret reported to be listed twice, if the pass whose first page shows it once has not ended', async () => {
    const text = 'says NotConverging';
    expect(wrongs(await saysThatASecretIsDoubled('within the pass'), text)).toEqual([]);
    expect(wrongs(await saysThatASecretIsDoubled('after it'), text)).toHaveLength(1);
  });

  test('a secret reported to be listed, if the pass whose first page lacks it has not ended', async () => {
    const text = 'says UnmanagedSecretsPresent';
    expect(wrongs(await saysThatAGoneSecretIsListed('within the pass'), text)).toEqual([]);
    expect(wrongs(await saysThatAGoneSecretIsListed('as it ends'), text)).toHaveLength(1);
  });

  test('a field reported to stay, if a list after the window since the announcement shows it', async () => {
    expect(wrongs(await saysThatAFieldStays(57), 'says FieldNotClearable')).toEqual([]);
    expect(wrongs(await saysThatAFieldStays(50), 'says FieldNotClearable')).toHaveLength(1);
  });

  test('a field reported to stay, if every later answer shows a default instead of nothing', async () => {
    const rogue = await saysThatADefaultStays(2);
    expect(rogue.judged().excused).toMatchObject({ 'no look shows the value as it is kept': 2 });
    expect(wrongs(rogue, 'says FieldNotClearable')).toEqual([]);
    expect(wrongs(await saysThatADefaultStays(1), 'says FieldNotClearable')).toHaveLength(1);
  });

  test('a status that says secrets are not sent while it announces their request, until it records the request', async () => {
    const text = 'while the status says that secrets are not sent';
    expect(wrongs(await saysNothingOfASentSecret(false), text)).toEqual([]);
    expect(wrongs(await saysNothingOfASentSecret(true), text)).toHaveLength(1);
  });

  test('a held back secret that a request carries as a list shows it, which it counts if the list lags', async () => {
    const text = 'while the status says that secrets are not sent';
    const late = await carriesADroppedSecret(90, 'value-of-the-token');
    expect(wrongs(late, text)).toEqual([]);
    expect(late.judged().excused).toMatchObject({ 'a list lags beyond the window': 1 });
    expect(wrongs(await carriesADroppedSecret(90, 'rotated'), text)).toHaveLength(1);
    expect(wrongs(await carriesADroppedSecret(0, 'value-of-the-token'), text)).toHaveLength(1);
  });

  test('nulls reported as ignored, if the service keeps a field regardless of requests', async () => {
    expect(wrongs(await learnsThatNullsAreIgnored(true), 'learned nulls')).toEqual([]);
    expect(wrongs(await learnsThatNullsAreIgnored(false), 'learned nulls')).toHaveLength(1);
  });
});
