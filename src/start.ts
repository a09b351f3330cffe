#!/usr/bin/env node
/**
 * Where the bundle begins. Everything else is read only by a Node.js that can: an older one would end with a syntax error or a
 * missing export, and not with a word about itself. In a checkout scripts begin with main.ts, for `npm ci` brings Node.js along.
 */

/** The oldest major version that works; `engines` in package.json and the documents name it too. */
const OLDEST = 24;

const { node } = process.versions;
if (Number.parseInt(node, 10) >= OLDEST) await import('./main.ts');
else {
  process.stderr.write(`dms-operator: this is Node.js ${node}; it needs Node.js ${OLDEST} or newer\n`);
  process.exitCode = 1;
}
