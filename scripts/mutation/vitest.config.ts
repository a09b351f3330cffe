import { defineConfig } from 'vitest/config';

/** The tests that must fail after a change of the model, without those that repeat others in bulk. */
export default defineConfig({
  test: {
    // Beside other work on a small machine some stories take their time.
    testTimeout: 60_000,
    // Importing the same modules for every file would take most of the time.
    isolate: false,
    env: { RESYNCS: '2' },
    include: ['test/{base,model,views,reconcile}/**/*.test.ts'],
    exclude: ['test/**/*.{cluster,long}.test.ts'],
  },
});
