import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { axeFindings, BROWSER_LIMIT_MS, openBrowser, openPage } from '../../support/browser/open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_LIMIT_MS);
afterAll(() => browser.close());

test('axe finds what is wrong on a page, and nothing on one that is right', async () => {
  const { page } = await openPage(browser);
  await page.setContent('<html lang="en"><title>A</title><main><h1>A</h1><input></main></html>');
  expect(await axeFindings(page)).toEqual([expect.stringMatching(/^label: /)]);
  await page.setContent(
    '<html lang="en"><title>A</title><main><h1>A</h1><input aria-label="B"></main></html>',
  );
  expect(await axeFindings(page)).toEqual([]);
  await page.context().close();
});

test('letters of fixed width are told from others, and arrows are there', async () => {
  const { page } = await openPage(browser);
  await page.setContent(
    '<span id=a style="font-family:monospace">iiii</span> <span id=b style="font-family:monospace">mmm→</span>',
  );
  const [a, b] = await Promise.all(['#a', '#b'].map((id) => page.locator(id).boundingBox()));
  expect(a?.width).toBe(b?.width);
  await page.context().close();
});
