import { chmodSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Browser } from 'playwright-core';
import { ensureChromium } from '../../support/browser/chromium-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { axeFindings, BROWSER_LIMIT_MS, openBrowser, openPage } from '../../support/browser/open-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, BROWSER_LIMIT_MS);
afterAll(() => browser.close());

test('axe finds the faults of a page, and nothing on a correct page', async () => {
  const { page } = await openPage(browser);
  await page.setContent('<html lang="en"><title>A</title><main><h1>A</h1><input></main></html>');
  expect(await axeFindings(page)).toEqual([expect.stringMatching(/^label: /)]);
  await page.setContent(
    '<html lang="en"><title>A</title><main><h1>A</h1><input aria-label="B"></main></html>',
  );
  expect(await axeFindings(page)).toEqual([]);
  await page.context().close();
});

test('a monospaced font exists, and it contains arrows', async () => {
  const { page } = await openPage(browser);
  await page.setContent(
    '<span id=a style="font-family:monospace">iiii</span> <span id=b style="font-family:monospace">mmm→</span>',
  );
  const [a, b] = await Promise.all(['#a', '#b'].map((id) => page.locator(id).boundingBox()));
  expect(a?.width).toBe(b?.width);
  await page.context().close();
});

test('a Chromium on the PATH replaces one that does not start', async () => {
  const { program } = await ensureChromium();
  const cached = basename(dirname(program));
  const broken = '#!/bin/sh\nexit 1\n';
  const folder = temporaryFolder({
    [`cache/dms-operator/chromium/${cached}/chromium`]: broken,
    'bin/chromium-browser': broken,
    'bin/google-chrome': '#!/bin/sh\nexit 0\n',
  });
  const programs = [
    `cache/dms-operator/chromium/${cached}/chromium`,
    'bin/chromium-browser',
    'bin/google-chrome',
  ];
  for (const name of programs) chmodSync(folder.at(name), 0o700);
  vi.stubEnv('XDG_CACHE_HOME', folder.at('cache'));
  vi.stubEnv('PATH', `${folder.at('bin')}:/usr/bin:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await ensureChromium()).program).toBe(folder.at('bin/google-chrome'));
  folder.write('bin/google-chrome', broken);
  await expect(ensureChromium()).rejects.toThrow(/@sparticuz\/chromium|Command failed/);
});
