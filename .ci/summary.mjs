// Turns the exit codes of `npm run check` and `npm test`, and the report of the latter, into the last lines of .ci/run.
// Runs on the machine's own Node.js, whatever its age.
import { readFileSync } from 'node:fs';

const [checkCode, testCode, reportFile] = process.argv.slice(2);

/** What the tests' own report says; nothing when they ended before writing one. */
function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return undefined;
  }
}

const report = readReport();
const passed = report?.numPassedTests ?? 0;
let failed = report?.numFailedTests ?? 0;

// A file that did not load fails without a failed test in it.
for (const { status, name, message, assertionResults } of report?.testResults ?? []) {
  if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) {
    failed += 1;
    console.log(`tests: ${name} FAILED: ${String(message).split('\n')[0]}`);
  }
}
if (testCode !== '0' && failed === 0) {
  failed += 1;
  console.log(`tests: FAILED outside of any test (exit code ${testCode})`);
}
if (checkCode !== '0') {
  failed += 1;
  console.log('check: FAILED');
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
