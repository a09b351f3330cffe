import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { given, NEWER } from '../../cli/support/applied.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { BROWSER_LIMIT_MS, openBrowser } from '../../support/browser/open-browser.ts';
import {
  expectGoodScreens,
  quickestMs,
  openConsolePage,
  startedConsole,
} from '../../support/console/console-page.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_LIMIT_MS);
afterAll(() => browser.close());

/** Returns a folder with one resource in sync, and one waiting plan. */
async function aFolder() {
  const applied = await given({
    'a.yaml': deploymentYaml('agent', { image: NEWER }),
    'b.yaml': deploymentYaml('waiting', {
      image: NEWER,
      spec: '  approval: Manual\n  creation: {policy: IfMissing}\n',
    }),
  });
  await applied.apply();
  return applied;
}

test('every screen of a folder is shown without an accessibility fault', async () => {
  const { folder } = await aFolder();
  const watched = await openConsolePage(browser, await startedConsole(['--dir', folder.path]));
  await expectGoodScreens(watched, {
    fleet: 'waits for a person',
    'deployment?namespace=team-a&name=waiting': 'waiting',
    connections: '1 connection',
    waiting: '1 plan waits for approval',
    drift: 'Nothing drifts',
  });
  await watched.page.context().close();
}, 60_000);

test('a manifest change appears within a second, measured by the browser', async () => {
  const { folder } = await aFolder();
  const { page } = await openConsolePage(browser, await startedConsole(['--dir', folder.path]));
  await page.locator('table.fleet').waitFor();
  const change = (name: string): void => void folder.write('c.yaml', deploymentYaml(name));
  expect(await quickestMs(page, change)).toBeLessThan(1000);
  await page.context().close();
}, 60_000);

test('an approval is written into the manifest that declares the resource', async () => {
  const { folder } = await aFolder();
  const address = await startedConsole(['--dir', folder.path, '--allow-actions']);
  const { page } = await openConsolePage(browser, address);
  await page.goto(`${new URL(page.url()).origin}/#/waiting`);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('b.yaml').waitFor();
  expect(folder.read('b.yaml')).not.toContain('approve');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await expect.poll(() => folder.read('b.yaml')).toContain('dms-operator.dev/approve');
  await page.context().close();
}, 60_000);
