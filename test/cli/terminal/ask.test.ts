import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { askOn } from '../../../src/cli/terminal/ask.ts';
import { Stopped } from '../../../src/cli/terminal/terminal.ts';

const streams = () => ({ input: new PassThrough(), output: new PassThrough(), interrupt: () => undefined });

describe('a question', () => {
  it('is shown, and answered with the typed line', async () => {
    const on = streams();
    const answer = askOn(on, 'Go on? ', new AbortController().signal);
    on.input.write('y\nmore\n');
    expect(await answer).toBe('y');
    on.output.end();
    expect(await text(on.output)).toBe('Go on? ');
  });

  it('ends with the reason for which the program was stopped', async () => {
    const stop = new AbortController();
    const answer = askOn(streams(), 'Go on? ', stop.signal);
    const reason = new Stopped('SIGINT');
    stop.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });
});
