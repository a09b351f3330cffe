import { defineConfig } from 'vitest/config';

/** Tests that need a real kube-apiserver and etcd: by folder, or by the ending `.cluster.test.ts` elsewhere. */
const CLUSTER_TESTS = ['test/kubernetes/**/*.test.ts', 'test/e2e/**/*.test.ts', 'test/**/*.cluster.test.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    // Silent sockets must fail a test soon; 10 s is far above what any test with virtual time needs.
    testTimeout: 10_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    globalSetup: 'test/support/bundle-setup.ts',
    setupFiles: ['test/support/leaks/leak-watch.ts', 'test/support/missed-watch.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: CLUSTER_TESTS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: CLUSTER_TESTS,
          // An API server beside its clients fills two cores, so these files run one after the other, after the rest.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
          globalSetup: 'test/support/control-plane-setup.ts',
        },
      },
    ],
  },
});
