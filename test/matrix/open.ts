/**
 * Runs that the oracle objects to and nothing has mended yet, by the words that play them again. A run that goes well now is
 * taken off the list, and nothing is added: the test fails where a run of the list goes well, and where another one goes
 * wrong.
 */
export const OPEN: ReadonlySet<string> = new Set(['--replay 78', '--replay 171', '--replay 287']);
