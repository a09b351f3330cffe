import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, BROWSER_LIMIT_MS, openBrowser, openPage } from '../../support/browser/open-browser.ts';
import { type FixtureConsole, startFixtureConsole } from '../../support/console/fixture-console.ts';
import { samplePicture } from '../../support/console/fixture-screens.ts';
import { ROOT } from '../../docs/support.ts';

const SCHEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 390] as const;

const WAITING = samplePicture().fleet.find(({ row }) => row.tone === 'waits')!.row;
const SCREENS: readonly (readonly [name: string, address: string, heading: string])[] = [
  ['fleet', '#/fleet', '36 ready'],
  ['deployment', `#/deployment?namespace=${WAITING.namespace}&name=${WAITING.name}`, WAITING.name],
  ['connections', '#/connections', '2 connections'],
  ['waiting', '#/waiting', '3 plans wait'],
  ['drift', '#/drift', '4 resources drift'],
];

/** The screens in the documentation. SCREENSHOTS=1 makes pictures for people, which no test compares. */
const PICTURES = [
  'fleet light 1280',
  'fleet dark 1280',
  'deployment light 1280',
  'fleet dark 390',
  'waiting light 1280',
];

let browser: Browser;
let fixture: FixtureConsole;
beforeAll(async () => {
  browser = await openBrowser();
  fixture = await startFixtureConsole();
}, BROWSER_LIMIT_MS);
afterAll(async () => {
  await browser.close();
  await fixture.close();
});

/** The width by which the page exceeds its window. */
const overhang = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

describe.each(SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ scheme, width }))))(
  'in $scheme, $width pixels wide',
  ({ scheme, width }) => {
    test('every screen fits, axe finds nothing on it, and it sends requests only to the console', async () => {
      const viewport = { width, height: 800 };
      const { page, asked, complaints } = await openPage(browser, { colorScheme: scheme, viewport });
      await page.goto(fixture.address);
      const { origin } = new URL(fixture.address);
      for (const [name, address, heading] of SCREENS) {
        await page.goto(`${origin}/${address}`);
        await page.locator('h1', { hasText: heading }).waitFor();
        expect(await axeFindings(page), name).toEqual([]);
        expect(await overhang(page), name).toBe(0);
        await picture(page, `${name} ${scheme} ${width}`);
      }
      expect(asked.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  },
);

async function picture(page: Page, of: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1' || !PICTURES.includes(of)) return;
  const folder = join(ROOT, 'docs', 'images', 'console');
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${of.replaceAll(' ', '-')}.png`) });
}
