import { StateFile } from '../../../src/directory/state/state-file.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

// Writes a state again and again until it is killed, and prints which writes have landed.
const [, , path = ''] = process.argv;
const state = await StateFile.open(path, systemClock, new MemoryLogger());
for (let round = (state.get('Deployment/team-a/round')?.generation ?? 0) + 1; ; round += 1) {
  for (const name of ['round', ...Array.from({ length: 50 }, (_, index) => `filler-${index}`)]) {
    state.set(`Deployment/team-a/${name}`, {
      uid: 'uid',
      generation: round,
      specHash: 'k:h',
      resourceVersion: round,
      creationTimestamp: '2026-11-20T00:00:00Z',
      claimed: false,
      status: { name: 'x'.repeat(round % 500) },
    });
  }
  await state.landed();
  process.stdout.write(`${round}\n`);
}
