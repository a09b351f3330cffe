import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { ensureChromium } from './chromium-files.ts';

/** Unpacking takes seconds, and much longer while a small machine has other work. */
export const BROWSER_LIMIT_MS = 120_000;

const WAIT_LIMIT_MS = 10_000;

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Starts a Chromium without a window. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { program, env } = await ensureChromium();
  return chromium.launch({
    executablePath: program,
    env: { ...process.env, ...env },
    // The tests may run as root in a container, where the sandbox does not start; they open nothing but our own page.
    args: ['--no-sandbox', '--font-render-hinting=none', '--hide-scrollbars'],
  });
}

/** A page with its requests and its errors. */
export interface WatchedPage {
  readonly page: Page;
  /** The requested addresses, in order. */
  readonly asked: readonly string[];
  /** Exceptions and lines of the console, including each refusal by the Content-Security-Policy. */
  readonly complaints: readonly string[];
}

/** Opens an empty page with its own storage. The caller closes its context. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  // Shorter than the limit of the test, so that the error names the missing element.
  context.setDefaultTimeout(WAIT_LIMIT_MS);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return { page, asked, complaints };
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Returns the findings of axe on the current page, one text for each element. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Injects the script as a debugger does, because the page itself may load scripts only from its own server.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const violations: readonly Violation[] = await page.evaluate('axe.run().then((found) => found.violations)');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary ?? ''}`),
  );
}
