import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  axeFindings,
  BROWSER_LIMIT_MS,
  openBrowser,
  openPage,
  type WatchedPage,
} from '../../support/browser/open-browser.ts';
import { quickestMs } from '../../support/console/console-page.ts';
import { type FixtureConsole, startFixtureConsole } from '../../support/console/fixture-console.ts';
import { overviewOf, samplePicture, screenOf } from '../../support/console/fixture-screens.ts';
import { PLAN_HASH } from '../../support/console/sample-fleet.ts';
import { fleetScreen } from '../../../src/views/screens/fleet-screen.ts';

const PICTURE = samplePicture();
const ROWS = PICTURE.fleet.map(({ row }) => row);
const { row: WAITING, resource: RESOURCE } = PICTURE.fleet.find(({ row }) => row.tone === 'waits')!;
const SCREEN = screenOf(RESOURCE);
const PLAN = SCREEN.plan!;
const OVERVIEW = overviewOf(PICTURE);
const ALLOWED = { allowed: true, missingRight: () => undefined };
const FLEET = fleetScreen(PICTURE.fleet, { filter: '', page: 1 });

let browser: Browser;
let fixture: FixtureConsole;
let watched: WatchedPage;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_LIMIT_MS);
afterAll(() => browser.close());
beforeEach(async () => {
  fixture = await startFixtureConsole();
  watched = await openPage(browser);
  ({ page } = watched);
  await page.goto(fixture.address);
  await page.locator('table.fleet').waitFor();
});
afterEach(async () => {
  await page.context().close();
  await fixture.close();
});

const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
const hash = (): string => decodeURIComponent(new URL(page.url()).hash);

/** Opens the resource whose plan waits. */
async function openWaiting(): Promise<void> {
  await page.getByRole('link', { name: WAITING.name }).click();
  await page.locator('h1', { hasText: WAITING.name }).waitFor();
}

test('the token is used once and removed from the address', async () => {
  expect(fixture.posted).toEqual([{ path: '/api/session', body: { token: 'fixture-token' } }]);
  expect(page.url()).not.toContain('token');
  await page.reload();
  await page.locator('table.fleet').waitFor();
  expect(fixture.posted).toHaveLength(1);
});

test('without a session the page names the command to run', async () => {
  fixture.answers.set('/api/session', () => [401, { error: 'no session' }]);
  await page.reload();
  await page.getByText('This page has no session').waitFor();
  await page.getByText('dms-operator console', { exact: true }).waitFor();
});

test('every element can be reached with the keyboard', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('reason:AwaitingApproval');
  await expect.poll(hash).toBe('#/fleet?filter=reason:AwaitingApproval');
  await expect.poll(() => page.locator('table.fleet tbody tr').count()).toBe(3);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  expect(await focused()).toBe(ROWS[2]?.name);
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: ROWS[2]!.name }).waitFor();
  for (const [key, name] of Object.entries({ w: 'waiting', d: 'drift', c: 'connections', f: 'fleet' })) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect.poll(hash).toBe(`#/${name}`);
  }
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('go to Connections').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('an action can be requested with the keyboard alone, and the focus returns', async () => {
  await openWaiting();
  await page.getByRole('button', { name: 'Approve', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Approve');
});

test('the filter is in the address and survives a reload', async () => {
  await page.getByLabel('Filter').fill('namespace:team-b');
  await expect.poll(hash).toBe('#/fleet?filter=namespace:team-b');
  await page.reload();
  expect(await page.getByLabel('Filter').inputValue()).toBe('namespace:team-b');
  await expect.poll(() => page.locator('table.fleet tbody tr').count()).toBe(15);
  await page.getByRole('navigation', { name: 'Reasons' }).getByText('Active').click();
  await expect.poll(() => page.getByLabel('Filter').inputValue()).toBe('namespace:team-b reason:Active');
});

test('the previously opened address opens another page in the same browser', async () => {
  fixture.answers.set('/api/session', (_, body) =>
    body === undefined ? [200, { csrf: 'word' }] : [401, { error: 'no session' }],
  );
  const again = await page.context().newPage();
  await again.goto(fixture.address);
  await again.locator('table.fleet').waitFor();
  expect(again.url()).not.toContain('token');
});

test('the address of a restarted console opens it in a page that is already open', async () => {
  fixture.answers.set('/api/overview', () => [401, { error: 'no session' }]);
  fixture.answers.set('/api/stream', () => [401, { error: 'no session' }]);
  fixture.hang(true);
  await page.getByText('The console does not answer').waitFor();
  fixture.hang(false);
  await page.getByText('This page has no session').waitFor();
  fixture.answers.delete('/api/stream');
  fixture.show(PICTURE);
  await page.goto(fixture.address.replace(/token=.*/, 'token=another-token'));
  await page.locator('table.fleet').waitFor();
  expect(fixture.posted.at(-1)).toEqual({ path: '/api/session', body: { token: 'another-token' } });
});

test('a page in the background closes its connection, and is up to date when it is shown again', async () => {
  const look = (hidden: boolean): Promise<unknown> =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await expect.poll(() => fixture.streams()).toBe(1);
  await look(true);
  await expect.poll(() => fixture.streams()).toBe(0);
  fixture.answers.set('/api/fleet', () => [200, { ...FLEET, sentence: 'All is well' }]);
  fixture.change();
  expect(await page.getByText('live').count()).toBe(1);
  await look(false);
  await page.getByText('All is well').waitFor();
  expect(fixture.streams()).toBe(1);
});

test('a screen without an answer does not block other screens', async () => {
  fixture.answers.set('/api/deployment', () => 'never');
  await page.getByRole('link', { name: WAITING.name }).click();
  await page.getByText('Reading…').waitFor();
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.locator('h1', { hasText: 'connection' }).waitFor();
});

test('back navigation also changes the filter in the box, and the box limits the filter length', async () => {
  const box = page.getByLabel('Filter');
  await page.goto(`${new URL(page.url()).origin}/#/fleet?filter=agent`);
  await page.goto(`${new URL(page.url()).origin}/#/fleet?filter=support`);
  await expect.poll(() => box.inputValue()).toBe('support');
  await box.focus();
  await page.goBack();
  await expect.poll(() => box.inputValue()).toBe('agent');
  await box.fill('');
  await box.pressSequentially('support-agent', { delay: 15 });
  await expect.poll(hash).toBe('#/fleet?filter=support-agent');
  expect(await box.inputValue()).toBe('support-agent');
  expect(await box.getAttribute('maxlength')).toBe('1024');
});

test('an invalid filter is reported', async () => {
  await page.getByLabel('Filter').fill('colour:red');
  await page.getByText('"colour:" is not known').waitFor();
});

test('a status change appears within a second, measured by the browser', async () => {
  const change = (headline: string): void => {
    const rows = ROWS.map((row, index) => (index === 0 ? { ...row, headline } : row));
    fixture.answers.set('/api/fleet', () => [200, { ...FLEET, rows }]);
    fixture.change();
  };
  expect(await quickestMs(page, change)).toBeLessThan(1000);
});

test('approval shows the exact change first, and sends the plan that was shown', async () => {
  fixture.answers.set('/api/actions', () => [200, { done: 'The plan is approved.' }]);
  await openWaiting();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`dms-operator.dev/approve: "${PLAN_HASH}"`).waitFor();
  await dialog.getByText(PLAN.changes[0]!.to).waitFor();
  expect(fixture.posted).toHaveLength(1);
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('The plan is approved.').waitFor();
  const { namespace, name } = WAITING;
  expect(fixture.posted.slice(1)).toEqual([
    {
      path: '/api/actions',
      body: { action: 'approve', namespace, name, resourceVersion: '7', hash: PLAN_HASH },
    },
  ]);
});

test('a plan that changed meanwhile is shown instead, and only that one can then be approved', async () => {
  const { status = {}, metadata } = RESOURCE;
  const changes = [{ ...status.plan!.changes[0]!, to: 'images.example.com/agents/support-agent:6.66' }];
  const screen = screenOf({
    ...{ ...RESOURCE, metadata: { ...metadata, resourceVersion: '8' } },
    status: { ...status, plan: { ...status.plan!, hash: 'ffff0000', changes } },
  });
  await openWaiting();
  fixture.answers.set('/api/actions', (_, body) =>
    (body as { hash: string }).hash === 'ffff0000'
      ? [200, { done: 'The plan is approved.' }]
      : [409, { error: 'The plan has changed since it was shown.', screen }],
  );
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await dialog.getByText('The plan has changed since it was shown.').waitFor();
  await dialog.getByText('support-agent:6.66').waitFor();
  await dialog.getByText('dms-operator.dev/approve: "ffff0000"').waitFor();
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('The plan is approved.').waitFor();
  expect(fixture.posted.at(-1)?.body).toMatchObject({ resourceVersion: '8', hash: 'ffff0000' });
});

test('a missing right is named, and the button is disabled', async () => {
  const missingRight = 'patch deployments.dms-operator.dev in namespace team-c';
  fixture.answers.set('/api/actions', () => [403, { error: 'You may not do this.', missingRight }]);
  await openWaiting();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog.getByText(missingRight).waitFor();
  const sent = fixture.posted.length;
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click({ force: true });
  expect(fixture.posted).toHaveLength(sent);
  expect(await dialog.getByRole('button', { name: 'Pause', exact: true }).getAttribute('aria-disabled')).toBe(
    'true',
  );
});

test('if actions are not allowed, the dialog gives the reason and the command', async () => {
  fixture.answers.set('/api/deployment', () => [200, screenOf(RESOURCE, { ...ALLOWED, allowed: false })]);
  await openWaiting();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('dialog').getByText('--allow-actions').waitFor();
  await page.getByRole('dialog').getByText(`dms-operator pause ${WAITING.name}`).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click({ force: true });
  expect(fixture.posted).toHaveLength(1);
});

test('a plan is requested on a click only, and its answer is shown', async () => {
  const { namespace, name } = WAITING;
  fixture.answers.set('/api/plan', () => [
    200,
    {
      namespace,
      name,
      askedTime: new Date().toISOString(),
      action: 'Update',
      sends: true,
      message: '',
      changes: PLAN.changes,
      withheld: [],
      unknown: [],
    },
  ]);
  await openWaiting();
  expect(fixture.posted).toHaveLength(1);
  await page.getByRole('button', { name: 'Plan now', exact: true }).click();
  await page.getByRole('dialog').getByText('sourceConfig.resourceSpec.memoryMB').waitFor();
  expect(fixture.posted.slice(1)).toEqual([{ path: '/api/plan', body: { namespace, name } }]);
});

test('while the console is unavailable the page keeps its contents, shows their age, and then continues', async () => {
  const fewer = fleetScreen(PICTURE.fleet, { filter: 'support-agent', page: 1 });
  await page.getByText('live').waitFor();
  fixture.hang(true);
  await page.getByText(/\d s old/).waitFor();
  await page.getByText('The console does not answer').waitFor();
  expect(await page.locator('table.fleet tbody tr').count()).toBe(ROWS.length);
  fixture.answers.set('/api/fleet', () => [200, fewer]);
  fixture.hang(false);
  await page.getByText('live').waitFor();
  await expect.poll(() => page.locator('table.fleet tbody tr').count()).toBe(fewer.rows.length);
});

test('stale data, missing rights and broken manifests are reported above every screen', async () => {
  const freshness = {
    asOf: new Date(Date.now() - 61_000).toISOString(),
    stale: 'The API server does not answer.',
    missingRights: ['list connections.dms-operator.dev in all namespaces'],
    problems: ['team-a/agent.yaml:3: <b>spec</b> is missing'],
  };
  fixture.answers.set('/api/overview', () => [200, { ...OVERVIEW, freshness }]);
  fixture.change();
  await page.getByText('The API server does not answer.').waitFor();
  await page.getByText(/6\d s old/).waitFor();
  await page.getByText('list connections.dms-operator.dev in all namespaces').waitFor();
  await page.getByText('<b>spec</b> is missing').waitFor();
});

const RTL = '\u202Egnp.exe \u05E9\u05DC\u05D5\u05DD';

test('markup, right-to-left marks, emoji and a megabyte of text are shown as text', async () => {
  const name = `<img src=x onerror="document.title='broken'">${RTL}`;
  const message = `<script>document.title='broken'</script>🙂${'long '.repeat(200_000)}`;
  const rows = [{ ...WAITING, name, message }];
  fixture.answers.set('/api/fleet', () => [200, { ...FLEET, rows }]);
  fixture.answers.set('/api/deployment', () => [
    200,
    {
      ...SCREEN,
      row: rows[0],
      next: [{ reason: 'X', message, means: message.slice(0, 50), todo: '' }],
      manifest: message.slice(0, 100),
    },
  ]);
  fixture.change();
  const link = page.locator('table.fleet a.resource');
  await expect.poll(() => link.textContent()).toBe(name);
  expect((await page.locator('table.fleet').textContent())?.length).toBeLessThan(1000);
  await link.click();
  await expect.poll(() => page.locator('h1').textContent()).toBe(name);
  const shown = page.locator('.notice .text');
  expect((await shown.textContent())?.length).toBeLessThan(1000);
  expect(await shown.textContent()).toMatch(/^<script>/);
  await page.getByRole('button', { name: 'Show all 1,000,042 characters' }).click();
  await expect.poll(async () => (await shown.textContent())?.length).toBe(message.length);
  expect(await page.locator('img, script:not([src])').count()).toBe(0);
  expect(await page.title()).not.toBe('broken');
  expect(watched.complaints).toEqual([]);
});

test('a name with right-to-left marks does not reverse its neighbours', async () => {
  fixture.answers.set('/api/fleet', () => [200, { ...FLEET, rows: [{ ...WAITING, name: RTL }] }]);
  fixture.change();
  const name = page.locator('table.fleet a.resource bdi');
  await expect.poll(() => name.textContent()).toBe(RTL);
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.fleet a.resource bdi')).unicodeBidi"),
  ).toBe('isolate');
  const [left, right] = [await page.locator('table.fleet th .below').boundingBox(), await name.boundingBox()];
  expect(left?.x).toBe(right?.x);
});

test('a plan of 200 changes and 256 secrets is shown completely', async () => {
  const changes = Array.from({ length: 200 }, (_, index) => ({
    ...PLAN.changes[1]!,
    path: `sourceConfig.key${index}`,
  }));
  const asked = Array.from({ length: 256 }, (_, index) => ({
    path: `secrets KEY_${index}`,
    value: 'key a of Secret b',
  }));
  fixture.answers.set('/api/deployment', () => [
    200,
    { ...SCREEN, plan: { ...PLAN, changes }, state: { ...SCREEN.state, asked } },
  ]);
  await openWaiting();
  expect(await page.locator('.changes li').count()).toBe(200);
  await page.getByText('secrets KEY_255').waitFor();
});

test('empty screens show a next step', async () => {
  const nothing = {
    ...FLEET,
    sentence: 'There are no deployment resources here',
    rows: [],
    bar: [],
    total: 0,
    matched: 0,
  };
  fixture.answers.set('/api/fleet', () => [200, nothing]);
  fixture.answers.set('/api/overview', () => [200, { ...OVERVIEW, mode: 'folder', place: 'manifests' }]);
  fixture.change();
  await page.getByText('dms-operator validate -f manifests').waitFor();
  fixture.answers.set('/api/fleet', () => [200, { ...nothing, total: 46 }]);
  fixture.change();
  await page.getByText('Nothing matches this filter.').waitFor();
  await page.getByRole('link', { name: 'Show all 46' }).waitFor();
});

test('a missing resource is reported', async () => {
  fixture.answers.set('/api/deployment', () => [404, { error: 'There is no deployment team-c/gone.' }]);
  await page.goto(`${new URL(page.url()).origin}/#/deployment?namespace=team-c&name=gone`);
  await page.getByText('There is no deployment team-c/gone.').waitFor();
});

test('a command can be copied', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openWaiting();
  await page.getByRole('button', { name: /^Copy dms-operator approve/ }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `dms-operator approve ${WAITING.name} -n ${WAITING.namespace} --context production`,
  );
  const flags = ['--dir', "it's here"];
  fixture.answers.set('/api/overview', () => [200, { ...OVERVIEW, flags }]);
  fixture.change();
  await page.getByText(String.raw`--dir 'it'\''s here'`).waitFor();
});

test('dialogs, notices and empty screens have no accessibility fault either', async () => {
  const freshness = {
    ...OVERVIEW.freshness,
    stale: 'It is old.',
    missingRights: ['list a'],
    problems: ['b'],
  };
  fixture.answers.set('/api/overview', () => [200, { ...OVERVIEW, freshness }]);
  fixture.change();
  await page.getByText('It is old.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Filter').fill('none-is-called-so');
  await page.getByText('Nothing matches this filter.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Keys' }).click();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Show all' }).click();
  await openWaiting();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  expect(await axeFindings(page)).toEqual([]);
});
