import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/order/longest-first.ts';

/** Tests that need a real kube-apiserver and etcd: by folder, or by the ending `.cluster.test.ts` elsewhere. */
const CLUSTER_TESTS = ['test/kubernetes/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/**/*.cluster.test.ts'];

/** Files of tests that take a second or more without one: they start programs, play many runs or search for bad input. */
const LONG_TESTS = ['test/**/*.long.test.ts'];

/** Files at once that only compute. */
const FILES_AT_ONCE = Math.max(2, availableParallelism() - 1);
/** Files at once that start programs and wait for them, most of the time. */
const WAITING_FILES_AT_ONCE = Math.max(5, availableParallelism());

export default defineConfig({
  test: {
    environment: 'node',
    maxWorkers: FILES_AT_ONCE,
    // Importing the same modules for every file would take longer than many a test.
    isolate: false,
    // Node reads TypeScript itself. Code that is not rewritten for the test runner is what users run, and is faster.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    env: {
      // Half the time of a program that starts is that of reading its sources, and hundreds are started.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
      // kubectl, Helm and other programs of Go would spend a quarter of their time on collecting garbage.
      GOGC: '400',
    },
    // Silent sockets must fail a test soon; 20 s is far above what any test with virtual time needs.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // What is asked until it holds holds at once, unless the machine has other work.
    expect: { poll: { timeout: 5_000 } },
    teardownTimeout: 10_000,
    restoreMocks: true,
    // A recording that is missing fails its test; `-u` writes it.
    update: 'none',
    globalSetup: 'test/support/bundle/bundle-setup.ts',
    setupFiles: ['test/support/leaks/leak-watch.ts', 'test/support/watches/missed-watch.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...CLUSTER_TESTS, ...LONG_TESTS],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG_TESTS,
          exclude: CLUSTER_TESTS,
          maxWorkers: WAITING_FILES_AT_ONCE,
          // Some play hundreds of runs, which takes ten seconds on an idle machine.
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: CLUSTER_TESTS,
          maxWorkers: WAITING_FILES_AT_ONCE,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: 'test/support/control-plane/control-plane-setup.ts',
        },
      },
    ],
  },
});
