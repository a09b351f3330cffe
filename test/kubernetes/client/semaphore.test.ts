import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../../src/kubernetes/client/semaphore.ts';

const never = new AbortController().signal;

/** Creates work that runs until the test ends it. */
function aJob(): { readonly work: () => Promise<void>; end(): void; fail(): void; readonly begun: boolean } {
  const done = Promise.withResolvers<void>();
  let begun = false;
  return {
    work: async () => {
      begun = true;
      await done.promise;
    },
    end: () => done.resolve(),
    fail: () => done.reject(new Error('no luck')),
    get begun() {
      return begun;
    },
  };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
};

describe('a semaphore', () => {
  it('runs as many jobs at once as it has permits, in order, and passes on the permit of a failed job', async () => {
    const semaphore = new Semaphore(2);
    const jobs = Array.from({ length: 5 }, aJob);
    const taken = jobs.map((job) => semaphore.take(never, job.work).catch(() => undefined));
    const begun = (): string => jobs.map((job) => (job.begun ? 'x' : '.')).join('');
    await settled();
    expect(begun()).toBe('xx...');
    jobs[1]?.fail();
    await settled();
    expect(begun()).toBe('xxx..');
    jobs[0]?.end();
    jobs[2]?.end();
    await settled();
    expect(begun()).toBe('xxxxx');
    jobs[3]?.end();
    jobs[4]?.end();
    await Promise.all(taken);
    const after = aJob();
    void semaphore.take(never, after.work);
    await settled();
    expect(after.begun).toBe(true);
    after.end();
  });

  it('drops a waiting caller that gives up, and loses no permit if one is released at the same moment', async () => {
    const semaphore = new Semaphore(1);
    const ending = new AbortController();
    const [first, second, third] = [aJob(), aJob(), aJob()];
    const running = semaphore.take(never, first.work);
    const waiting = semaphore.take(ending.signal, second.work);
    const patient = semaphore.take(never, third.work);
    first.end();
    ending.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await settled();
    expect([second.begun, third.begun]).toEqual([false, true]);
    third.end();
    await Promise.all([running, patient]);
    await expect(semaphore.take(ending.signal, second.work)).rejects.toThrow('changed my mind');
  });
});
