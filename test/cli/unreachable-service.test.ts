import { describe, expect, it } from 'vitest';
import { connectionTo } from '../support/served-service.ts';
import { deploymentYaml, together } from '../directory/support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SECRET } from './support/bad-input.ts';
import { run } from './support/terminal.ts';

/** Commands that ask the service, each of which may meet one that is not there. */
const ASKING: readonly (readonly string[])[] = [
  ['plan'],
  ['apply', '--yes'],
  ['get', 'deployments'],
  ['import', '--all'],
];

const LINE =
  /Connection team-a\/default \(http:\/\/127\.0\.0\.1:1\) cannot be used: Unreachable: [^;]*; check spec\.baseURL and whether it is reachable from here/;

describe('a service that cannot be reached', () => {
  it.each(ASKING)('is named by %s with its address, without what may be secret', async (...words) => {
    const connection = connectionTo(`http://127.0.0.1:1/${SECRET}`);
    const folder = temporaryFolder({ 'a.yaml': together(deploymentYaml('agent'), connection) });
    const { out, err } = await run([...words, '-f', folder.path]);
    expect(out + err).toMatch(LINE);
    expect(out + err).not.toContain(SECRET);
  });
});
