#!/usr/bin/env node
/**
 * Starts the bundle. Checks the version of Node.js before it loads anything else, because an older version would end
 * with a syntax error or a missing export. In a checkout, scripts start main.ts: `npm ci` installs the right Node.js.
 */

/** The oldest major version that works; `engines` in package.json and the documents name it too. */
const OLDEST = 24;

const { node } = process.versions;
if (Number.parseInt(node, 10) >= OLDEST) await import('./main.ts');
else {
  process.stderr.write(`dms-operator: this is Node.js ${node}; it needs Node.js ${OLDEST} or newer\n`);
  process.exitCode = 1;
}
