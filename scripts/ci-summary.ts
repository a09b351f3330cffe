/**
 * Turns the exit codes of `npm run check` and `npm test`, and the report of the latter, into the last lines of
 * .ci/run. Arguments: exit code of check, exit code of the tests, report file.
 */
import { readFileSync } from 'node:fs';

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

/** The parts of vitest's JSON report that the summary uses. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly TestFile[];
}

/** The tests' own report, or undefined when they ended before writing one. */
function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** Returns the failures beside those of tests, one line each. */
function failuresBesideTests(report: Report | undefined, checkCode: string, testCode: string): string[] {
  const files = report?.testResults ?? [];
  // A file that did not load fails without a failed test in it.
  const unloaded = files
    .filter(
      (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
    )
    .map((file) => `tests: FAILED to run ${file.name}: ${file.message.split('\n')[0] ?? ''}`);
  const failedTests = (report?.numFailedTests ?? 0) + unloaded.length;
  return [
    ...unloaded,
    ...(testCode !== '0' && failedTests === 0
      ? [`tests: FAILED outside of any test, exit code ${testCode}`]
      : []),
    ...(checkCode === '0' ? [] : ['check: FAILED']),
  ];
}

const [checkCode = '1', testCode = '1', reportFile = ''] = process.argv.slice(2);
const report = readReport(reportFile);
const failures = failuresBesideTests(report, checkCode, testCode);
const failed = (report?.numFailedTests ?? 0) + failures.length;
for (const line of failures) console.log(line);
console.log(`${report?.numPassedTests ?? 0} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
