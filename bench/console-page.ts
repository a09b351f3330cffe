import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage } from '../test/support/browser/open-browser.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { Program } from './support/program.ts';

const COUNT = 10_000;
const FILES = 100;
const BYTES_PER_MIB = 1024 * 1024;

/** The console in a browser, with a folder of 10,000 manifests behind it. */
export const consolePage: Benchmark = {
  name: 'console-page',
  about: 'how soon the page of the console shows 10,000 resources, how fast it filters, and what it holds',
  async run(context) {
    const count = context.smoke ? FILES : COUNT;
    const program = await context.program();
    const folder = await manifests(program, count);
    const running = program.start(['console', '--dir', folder, '--no-open']);
    const browser = await openBrowser();
    try {
      const address = /http:\S+/.exec(await running.line('console at http'))?.[0] ?? '';
      return await measured(context, browser, { address, count });
    } finally {
      await browser.close();
      await running.stop();
    }
  },
};

async function measured(
  context: BenchContext,
  browser: Browser,
  { address, count }: { readonly address: string; readonly count: number },
): Promise<readonly Measurement[]> {
  const runs = context.runs ?? (context.smoke ? 1 : 9);
  const { page } = await openPage(browser);
  await page.addInitScript(NOTE_PAINT);
  context.progress(`first paint and filter, ${runs} times`);
  const paints = [await paintedMs(page, address)];
  // The token works once; a page that is loaded again has the cookie.
  while (paints.length < runs) paints.push(await paintedMs(page, new URL('/', address).href));
  const filters: number[] = [];
  for (let run = 0; run < runs; run += 1) filters.push(await filteredMs(page, `agent-${count - 1 - run}`));
  const heap = await heapMiB(page);
  const about = `${COUNT.toLocaleString('en')} resources`;
  return [
    { name: `first rows on the page, ${about}`, unit: 'ms', samples: paints, target: atMost(1000) },
    { name: `filter, from the key to the rows, ${about}`, unit: 'ms', samples: filters, target: atMost(100) },
    { name: `heap of the page, ${about}`, unit: 'MiB', samples: [heap], target: atMost(60) },
  ];
}

/** Returns the time from the beginning of the navigation until the table has rows, by the clock of the page. */
async function paintedMs(page: Page, address: string): Promise<number> {
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('table.fleet tbody tr').first().waitFor();
  await page.waitForFunction('window.paintedMs !== undefined');
  return page.evaluate<number>('window.paintedMs');
}

/** Runs before the page: notes when the first row was drawn. */
const NOTE_PAINT = `new MutationObserver((_, observer) => {
  if (document.querySelector('table.fleet tbody tr') === null) return;
  observer.disconnect();
  requestAnimationFrame(() => (window.paintedMs = performance.now()));
}).observe(document, { subtree: true, childList: true })`;

/** Returns the time from the key until the table shows exactly the filtered rows, by the clock of the page. */
async function filteredMs(page: Page, name: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const box = document.querySelector('#filter');
    const begin = performance.now();
    new MutationObserver((_, observer) => {
      const rows = [...document.querySelectorAll('table.fleet tbody tr')];
      if (rows.length !== 1 || !rows[0].textContent.includes(${JSON.stringify(name)})) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - begin));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    box.value = ${JSON.stringify(name)};
    box.dispatchEvent(new Event('input', { bubbles: true }));
  })`);
}

async function heapMiB(page: Page): Promise<number> {
  await page.goto(`${page.url().replace(/#.*/, '')}#/fleet`);
  await page.locator('table.fleet tbody tr').nth(1).waitFor();
  await page.requestGC();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? NaN) / BYTES_PER_MIB;
}

async function manifests(program: Program, count: number): Promise<string> {
  const folder = join(program.folder, 'console');
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < FILES; file += 1) {
    const texts = Array.from({ length: count / FILES }, (_, at) => manifest(file * (count / FILES) + at));
    await writeFile(join(folder, `${file}.yaml`), texts.join('---\n'));
  }
  return folder;
}

const manifest = (number: number): string => `apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata:
  name: agent-${number}
  namespace: team-${number % 20}
  labels: { tier: ${number % 2 === 0 ? 'gold' : 'silver'} }
spec:
  source: external_container
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:${number % 7}' }
`;
