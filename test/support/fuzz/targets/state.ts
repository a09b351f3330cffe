import { readState } from '../../../../src/directory/state/state-content.ts';
import { StateFile } from '../../../../src/directory/state/state-file.ts';
import { acquireLock } from '../../../../src/directory/state/acquire-lock.ts';
import { ExpectedError } from '../../../../src/base/expected-error.ts';
import { VirtualClock } from '../../doubles/virtual-clock.ts';
import { DEPLOYMENT_STATUS } from '../../../api/full-status.ts';
import { MemoryLogger } from '../../doubles/memory-logger.ts';
import { Scratch } from '../scratch.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

const RESOURCE = {
  uid: '11111111-1111-4111-8111-111111111111',
  generation: 3,
  specHash: 'v1:abc:def',
  resourceVersion: 12,
  creationTimestamp: '2026-11-20T10:00:00Z',
  claimed: true,
  status: DEPLOYMENT_STATUS,
  deletionTimestamp: '2026-11-20T11:00:00Z',
  retained: {
    annotations: { 'dms-operator.dev/paused': 'true' },
    spec: { source: 'codehost', deletionPolicy: 'Delete' },
  },
};
const STATE = JSON.stringify({
  version: 1,
  keyID: 'v1:abc',
  resources: {
    'Deployment team-a/agent': RESOURCE,
    'Secret team-a/keys': { ...RESOURCE, status: undefined, retained: undefined },
  },
});

const scratch = new Scratch();

const states: Target = {
  whole: texts(STATE, JSON.stringify({ version: 1, keyID: '', resources: {} })),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"version":1,"keyID":"a","resources":${huge}}`,
    (huge) => `{"version":${huge},"keyID":${huge},"resources":{}}`,
    (huge) => STATE.replace('"conditions":', `"more":${huge},"conditions":`),
  ],
  read: async (input) => {
    const path = scratch.write('state.json', input);
    try {
      const { keyID, resources } = await readState(path);
      const file = await StateFile.open(path, new VirtualClock(), new MemoryLogger());
      try {
        for (const [key, state] of resources) file.set(key, state);
        await file.landed();
      } finally {
        await file.close();
      }
      const again = await readState(path);
      must(
        again.keyID === keyID && sortedText(again.resources) === sortedText(resources),
        'a state is read otherwise from what we wrote',
      );
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    }
  },
};

const JOURNAL = [3, 4]
  .map((sequence) => `${JSON.stringify({ sequence, key: 'Deployment team-a/agent', state: RESOURCE })}\n`)
  .join('');

const journals: Target = {
  isJSON: false,
  whole: texts(JOURNAL, `${JSON.stringify({ sequence: 3, key: 'Deployment team-a/agent', state: null })}\n`),
  frames: [(huge) => `${huge}\n`, (huge) => `{"sequence":3,"key":"a","state":${huge}}\n`],
  read: async (input) => {
    const path = scratch.write('state.json', Buffer.from(STATE.replace('1,', '2,"sequence":2,')));
    scratch.write('state.json.journal', input);
    try {
      const { resources } = await readState(path);
      must(resources.size >= 1, 'a journal takes away what it does not name');
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    } finally {
      scratch.write('state.json.journal', Buffer.from(''));
    }
  },
};

/** Returns the text with sorted keys, as the file has it. */
function sortedText(resources: ReadonlyMap<string, unknown>): string {
  return JSON.stringify([...resources].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const locks: Target = {
  whole: texts(
    JSON.stringify({ pid: 999_999_999, started: '1', machine: 'another/pid:[1]' }),
    JSON.stringify({ pid: 1, started: '', machine: 'another/pid:[1]' }),
  ),
  isJSON: true,
  frames: [(huge) => huge, (huge) => `{"pid":1,"started":${huge},"machine":${huge}}`],
  read: async (input) => {
    const path = scratch.write('state.lock', input);
    try {
      const lock = await acquireLock(path, new VirtualClock({ startMs: Date.parse('2000-01-01T00:00:00Z') }));
      await lock.release();
      return [];
    } catch (error) {
      return told(error, ExpectedError);
    }
  },
};

/** Readers of the state of folders. */
export const TARGETS: Targets<'state'> = {
  'state-file': states,
  'state-journal': journals,
  'state-lock': locks,
};
