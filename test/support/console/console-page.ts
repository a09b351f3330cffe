import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { start } from '../../cli/support/process.ts';
import { axeFindings, openPage, type WatchedPage } from '../browser/open-browser.ts';

/** Starts `console` in a separate process, which ends with the test. Resolves with the printed address. */
export async function startedConsole(words: readonly string[]): Promise<string> {
  const { printed } = start(['console', '--no-open', ...words]);
  let address: string | undefined;
  await expect
    .poll(() => (address = /http:\S+/.exec(printed.out)?.[0]) ?? printed.err, { timeout: 20_000 })
    .toContain('http:');
  return address ?? '';
}

/** Opens the page of a console, and waits until it shows a heading. */
export async function openConsolePage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const watched = await openPage(browser, options);
  await watched.page.goto(address);
  await watched.page.locator('h1').waitFor();
  return watched;
}

const SCHEMES = ['light', 'dark'] as const;
const VIEWPORTS = [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
] as const;

/**
 * Passes if each of these screens shows its heading in both colour schemes and widths, fits into the window, has no
 * findings of axe, logs no errors and calls only the console. The key of a heading is the part of the address after
 * `#/`.
 */
export async function expectGoodScreens(
  { page, asked, complaints }: WatchedPage,
  screens: Readonly<Record<string, string>>,
): Promise<void> {
  const { origin } = new URL(page.url());
  for (const [address, heading] of Object.entries(screens)) {
    await page.goto(`${origin}/#/${address}`);
    await page.locator('h1', { hasText: heading }).waitFor();
    for (const viewport of VIEWPORTS) {
      await page.setViewportSize(viewport);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const about = `${address}, ${colorScheme}, ${viewport.width} pixels`;
        expect(await axeFindings(page), about).toEqual([]);
        expect(await overhang(page), about).toBe(0);
      }
    }
  }
  expect(asked.filter((url) => new URL(url).origin !== origin && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
}

/** Returns how much wider the page is than its window. */
const overhang = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

/**
 * Returns the shortest time of a few changes until the browser showed them, in milliseconds. `change` makes the given
 * text appear. Other work on the machine does not slow every change.
 */
export async function quickestMs(
  page: Page,
  change: (text: string) => Promise<void> | void,
): Promise<number> {
  const times: number[] = [];
  for (const text of ['first-change', 'second-change', 'third-change']) {
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.body.textContent.includes('${text}')) return;
      observer.disconnect();
      window.shownAtMs = Date.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    const beganMs = Date.now();
    await change(text);
    await page.getByText(text).first().waitFor();
    times.push((await page.evaluate<number>('window.shownAtMs')) - beganMs);
  }
  return Math.min(...times);
}
