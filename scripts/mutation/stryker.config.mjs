/**
 * `npm run mutation`: every condition, operator and constant of the model is changed, one at a time, and the tests of
 * the model and the stories must notice. All of it takes hours; `-- --mutate src/model/plan/budget.ts` takes a part.
 */
export default {
  mutate: ['src/{base,model,views}/**/*.ts'],
  // Words for people are no decisions, and the words of unions are held by the type checker.
  mutator: { excludedMutations: ['StringLiteral'] },
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // What runs once when a module is loaded cannot be told apart by test.
  ignoreStatic: true,
  // Nothing in it needs rewriting, and the compiler of TypeScript 7 has no programming interface to do it with.
  tsconfigFile: 'none',
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/sandbox',
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { logTests: false, reportTests: false },
  jsonReporter: { fileName: '.stryker/report.json' },
};
