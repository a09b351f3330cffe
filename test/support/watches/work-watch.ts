/**
 * Loaded before a program, which runs unchanged. Reports at its end how often V8 entered a function, a branch or the
 * body of a loop.
 */
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const counts = result.flatMap(({ functions }) => functions).flatMap(({ ranges }) => ranges);
    process.stderr.write(`steps: ${counts.reduce((sum, { count }) => sum + count, 0)}\n`);
  });
});
