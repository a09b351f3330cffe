import { defineConfig } from 'vitest/config';

/** The tests that must fail after a change of the model, without those that repeat others in bulk. */
export default defineConfig({
  test: {
    // Beside other work on a small machine some stories take their time.
    testTimeout: 60_000,
    env: { RESYNCS: '2' },
    include: ['test/{base,model,views,reconcile}/**/*.test.ts'],
    exclude: [
      'test/**/*.cluster.test.ts',
      'test/reconcile/**/{crash-points.long,fleet.long,hanging-services.long,hazards}.test.ts',
    ],
  },
});
