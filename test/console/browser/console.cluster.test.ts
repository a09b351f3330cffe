import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { BROWSER_LIMIT_MS, openBrowser } from '../../support/browser/open-browser.ts';
import {
  expectGoodScreens,
  quickestMs,
  openConsolePage,
  startedConsole,
} from '../../support/console/console-page.ts';
import { PLAN_HASH, sampleResources } from '../../support/console/sample-fleet.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { recordedResources } from '../../support/resources/recorded-statuses.ts';

const plane = useControlPlane();
const GROUP = '/apis/dms-operator.dev/v1alpha1/namespaces';
const COUNT = 200;
/** The number of resources created at once. */
const TOGETHER = 20;

let browser: Browser;
let namespace: string;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_LIMIT_MS);
beforeAll(async () => {
  await plane().installCRDs();
  namespace = await plane().createNamespace('console');
  const all = fleet();
  for (let at = 0; at < all.length; at += TOGETHER)
    await Promise.all(all.slice(at, at + TOGETHER).map(create));
});
afterAll(() => browser.close());

/** Returns resources with distinct texts, with every status that a test scenario ever wrote. */
function fleet(): readonly DeploymentResource[] {
  const recorded = recordedResources();
  const others = Array.from({ length: COUNT - sampleResources().length }, (_, index): DeploymentResource => {
    const { resource } = recorded[index % recorded.length]!;
    return { ...resource, metadata: { ...resource.metadata, name: `recorded-${index}` } };
  });
  return [...sampleResources(), ...others];
}

const pathOf = (name: string): string => `${GROUP}/${namespace}/deployments/${name}`;

async function create({ apiVersion, kind, metadata, spec, status }: DeploymentResource): Promise<void> {
  const { name, labels, annotations } = metadata;
  const body = { apiVersion, kind, metadata: { name, labels, annotations }, spec };
  const created = await plane().request('POST', `${GROUP}/${namespace}/deployments`, body);
  expect(created.status, created.text).toBe(201);
  await saveStatus(name, { ...status, observedGeneration: 1 });
}

async function saveStatus(name: string, status: object): Promise<void> {
  const saved = await plane().request(
    'PATCH',
    `${pathOf(name)}/status`,
    { status },
    'application/merge-patch+json',
  );
  expect(saved.status, saved.text).toBe(200);
}

const consoleOf = (...more: string[]): Promise<string> =>
  startedConsole(['--kubeconfig', plane().kubeconfigFile, '-n', namespace, ...more]);

describe('the console of a real API server with 200 resources in every state', () => {
  test('shows every screen without an accessibility fault', async () => {
    const watched = await openConsolePage(browser, await consoleOf());
    const waiting = sampleResources().find(({ spec }) => spec.approval === 'Manual')!.metadata.name;
    await expectGoodScreens(watched, {
      fleet: 'stalled',
      [`deployment?namespace=${namespace}&name=${waiting}`]: waiting,
      connections: 'connection',
      waiting: 'plans wait for approval',
      drift: 'drift',
    });
    await watched.page.goto(`${new URL(watched.page.url()).origin}/#/fleet?page=2`);
    await watched.page.getByText('Page 2 of 2').waitFor();
    await watched.page.context().close();
  });

  test('shows a status change within a second, measured by the browser', async () => {
    const { page } = await openConsolePage(browser, await consoleOf());
    await page.locator('table.fleet').waitFor();
    const [worst] = sampleResources();
    const { conditions = [] } = worst!.status!;
    const change = (message: string): Promise<void> =>
      saveStatus(worst!.metadata.name, {
        conditions: conditions.map((condition) => ({ ...condition, message })),
      });
    expect(await quickestMs(page, change)).toBeLessThan(1000);
    await page.context().close();
  });

  test('refuses to approve a plan that has changed, shows the new one, and approves exactly that', async () => {
    const { page } = await openConsolePage(browser, await consoleOf('--allow-actions'));
    const { metadata, status } = sampleResources().find(({ spec }) => spec.approval === 'Manual')!;
    const annotations = async (): Promise<unknown> =>
      ((await plane().request('GET', pathOf(metadata.name))).json as unknown as DeploymentResource).metadata
        .annotations;
    await page.goto(
      `${new URL(page.url()).origin}/#/deployment?namespace=${namespace}&name=${metadata.name}`,
    );
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`dms-operator.dev/approve: "${PLAN_HASH}"`).waitFor();
    const changes = [{ ...status!.plan!.changes[0]!, to: 'images.example.com/agents/support-agent:6.66' }];
    await saveStatus(metadata.name, { plan: { ...status!.plan!, hash: 'ffff0000ffff0000ffff', changes } });
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.getByText('Nothing was done.').waitFor();
    await dialog.getByText('support-agent:6.66').waitFor();
    expect(await annotations()).toBeUndefined();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(annotations).toMatchObject({ 'dms-operator.dev/approve': 'ffff0000ffff0000ffff' });
    await page.context().close();
  });
});
