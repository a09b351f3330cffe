import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ConnectionError, FailureError } from '../../src/model/connection/failure.ts';
import { redactorOf } from '../../src/model/redaction/redact.ts';
import { SecretValue } from '../../src/base/secret-value.ts';
import type { Logger } from '../../src/ports/process/logger.ts';
import { createLogger } from '../../src/telemetry/create-logger.ts';
import type { LoggerOptions } from '../../src/telemetry/create-logger.ts';

const SECRET = 'hunter2-and-more';
const CLOCK = { now: () => Date.UTC(2026, 10, 20, 12) };

interface Written {
  readonly logger: Logger;
  readonly lines: string[];
  last(): Record<string, unknown>;
}

function logging(options: Partial<LoggerOptions> = {}): Written {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: 'debug', format: 'json', clock: CLOCK, output, ...options });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') };
}

describe('a line', () => {
  it('is one JSON object with level, time by the clock, fields and message', () => {
    const { logger, lines } = logging();
    logger.info('wrote to the service', { resource: 'team/one', paths: ['a', 'b'], generation: 3 });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-11-20T12:00:00.000Z","resource":"team/one","paths":["a","b"],"generation":3,"msg":"wrote to the service"}\n',
    ]);
  });

  it('is written only from its level on', () => {
    const { logger, lines } = logging({ level: 'warn' });
    logger.debug('no');
    logger.info('no');
    logger.warn('yes');
    logger.error('yes');
    expect(lines).toHaveLength(2);
  });

  it('carries the fields of every parent', () => {
    const { logger, last } = logging();
    logger.child({ controller: 'deployments' }).child({ resource: 'team/one' }).warn('hm', { more: true });
    expect(last()).toMatchObject({ controller: 'deployments', resource: 'team/one', more: true });
  });

  it('keeps its own members apart from fields of the same name', () => {
    const { logger, last } = logging();
    logger.info('message', { level: 'fake', time: 'fake', msg: 'fake' });
    expect(last()).toEqual({
      level: 'info',
      time: '2026-11-20T12:00:00.000Z',
      msg: 'message',
      level_: 'fake',
      time_: 'fake',
      msg_: 'fake',
    });
  });

  it('stays one line whatever is in it, also for people', () => {
    for (const format of ['json', 'pretty'] as const) {
      const { logger, lines } = logging({ format });
      logger.info('one\n{"level":"info"}\u001b[2J', { text: 'two\r\nthree' });
      expect(lines.join('').match(/\p{Cc}/gu)).toEqual(['\n']);
    }
  });

  it('is readable for people', () => {
    const { logger, lines } = logging({ format: 'pretty' });
    logger.warn('the connection is slow', { connection: 'Connection/team/default' });
    expect(lines).toEqual([
      '[12:00:00.000] WARN: the connection is slow {"connection":"Connection/team/default"}\n',
    ]);
  });
});

describe('what a line never shows', () => {
  const requestError = Object.assign(
    new Error('request failed', { cause: new TypeError('socket hang up') }),
    {
      code: 'ECONNRESET',
      status: 502,
      headers: { authorization: `Bearer ${SECRET}` },
      body: SECRET,
      config: { headers: { 'x-api-key': SECRET } },
      request: { auth: SECRET },
    },
  );

  it('is what hangs on an error', () => {
    const { logger, lines, last } = logging();
    logger.error('failed', { error: requestError });
    logger.warn('failed', { error: new Error('outer', { cause: requestError }) });
    logger.warn('failed', { err: requestError });
    logger.warn('failed', { errors: [requestError, new AggregateError([requestError], 'several')] });
    expect(lines.join('')).not.toContain(SECRET);
    logger.error('failed', { error: requestError });
    expect(last()['error']).toEqual({
      name: 'Error',
      message: 'request failed',
      code: 'ECONNRESET',
      status: 502,
      stack: expect.arrayContaining([expect.stringMatching(/logger\.test\.ts/)]),
      cause: { name: 'TypeError', message: 'socket hang up', stack: expect.any(Array) },
    });
  });

  it('says for a failure with a known reason what it is, and not where in the code it was made', () => {
    const { logger, last } = logging();
    const cause = new ConnectionError('no answer', { reason: 'Timeout', sent: 'no' });
    const failure = { kind: 'transient', reason: 'Retrying', sent: 'no' } as const;
    logger.error('a pass took too long', { error: new FailureError('not yet', failure, { cause }) });
    expect(last()['error']).toEqual({
      ...{ name: 'FailureError', message: 'not yet', kind: 'transient', reason: 'Retrying' },
      cause: { name: 'ConnectionError', message: 'no answer' },
    });
  });

  const hidden: readonly { name: string; fields: Record<string, unknown> }[] = [
    { name: 'a secret value', fields: { value: new SecretValue(SECRET), list: [new SecretValue(SECRET)] } },
    { name: 'headers', fields: { request: { headers: { 'x-tenant': SECRET } } } },
    {
      name: 'an authorization',
      fields: { a: { b: { Authorization: SECRET, 'Proxy-Authorization': SECRET } } },
    },
    { name: 'a body', fields: { body: { secrets: [{ name: 'A', value: SECRET }] } } },
    { name: 'a named value', fields: { secret: { name: 'A', value: SECRET } } },
    { name: 'data of a Secret', fields: { object: { data: { key: SECRET }, stringData: { key: SECRET } } } },
    { name: 'a token', fields: { token: SECRET, accessToken: SECRET, 'api-key': SECRET, apiKey: SECRET } },
    { name: 'a password', fields: { database: { password: SECRET, passwd: SECRET } } },
    { name: 'a cookie', fields: { a: [{ cookie: SECRET, 'set-cookie': [SECRET] }] } },
    { name: 'bytes', fields: { bytes: Buffer.from(SECRET), more: new Uint8Array(Buffer.from(SECRET)) } },
    {
      name: 'an object of a library',
      fields: { response: new Headers({ x: SECRET }), map: new Map([['x', SECRET]]) },
    },
  ];
  it.each(hidden)('is $name', ({ fields }) => {
    const { logger, lines } = logging();
    logger.info('line', fields);
    logger.child(fields).info('line');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain(SECRET);
    expect(lines.join('')).not.toContain('104,117,110'); // the bytes as numbers
  });

  it('is a secret value, under any name; that there is one may be seen', () => {
    const { logger, last } = logging();
    logger.info('line', { shown: new SecretValue(SECRET) });
    expect(last()['shown']).toBe('[redacted]');
  });

  it('is a known secret, wherever in a text', () => {
    const { logger, lines } = logging({ redact: redactorOf([new SecretValue(SECRET)]) });
    logger.error(`bad value ${SECRET}`, {
      note: `got ${SECRET}`,
      error: new Error(`echo: ${SECRET}\n    at ${SECRET}`, { cause: `thrown text ${SECRET}` }),
      list: [encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')],
    });
    expect(lines.join('')).not.toContain(SECRET);
    expect(lines.join('')).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 12));
    expect(lines.join('')).toContain('bad value [redacted]');
  });
});

describe('what a line survives', () => {
  it('is cycles, depth, length and kinds of values that JSON does not know', () => {
    const { logger, last } = logging();
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['again'] = circle;
    const cause = new Error('inner');
    cause.cause = cause;
    logger.info('line', {
      circle,
      error: cause,
      big: 10n,
      fn: () => {},
      missing: undefined,
      nothing: null,
      set: new Set([1, 2]),
      many: Array.from({ length: 1_000 }, (_, n) => n),
      long: 'x'.repeat(100_000),
    });
    expect(last()).toMatchObject({ big: '10', nothing: null, set: [1, 2], msg: 'line' });
    expect(last()).not.toHaveProperty('missing');
    expect(last()['many']).toHaveLength(101);
    expect(String(last()['long']).length).toBeLessThan(10_000);
  });

  it('shows why an attempt stopped', () => {
    const { logger, last } = logging();
    logger.warn('failed', {
      error: new FailureError('no such secret', { kind: 'waiting', reason: 'SecretMissing', sent: 'no' }),
    });
    expect(last()['error']).toEqual({
      name: 'FailureError',
      message: 'no such secret',
      kind: 'waiting',
      reason: 'SecretMissing',
    });
  });
});

describe('a process that ends', () => {
  const source = (ending: string): string => `
    import { createLogger } from ${JSON.stringify(fileURLToPath(new URL('../../src/telemetry/create-logger.ts', import.meta.url)))};
    const logger = createLogger({ level: 'info', format: process.argv.at(-1), clock: Date });
    for (let n = 0; n < 10; n += 1) logger.info('line ' + n);
    ${ending}
  `;
  const endings = [
    { name: 'by exit', ending: 'process.exit(0);' },
    { name: 'by an exception', ending: "throw new Error('end');" },
    { name: 'by SIGKILL', ending: "process.kill(process.pid, 'SIGKILL');" },
  ];
  const formats = ['json', 'pretty'];
  it.each(endings.flatMap((ending) => formats.map((format) => ({ ...ending, format }))))(
    'has lost no line when it ends $name ($format)',
    ({ ending, format }) => {
      const ended = spawnSync(process.execPath, ['--input-type=module', '-e', source(ending), format], {
        encoding: 'utf8',
        timeout: 9_000,
      });
      expect(ended.stdout.match(/line \d/g)).toHaveLength(10);
    },
  );

  it('can write to standard error', () => {
    const code = source('').replace('clock: Date }', 'clock: Date, output: 2 }');
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', code, 'json'], {
      encoding: 'utf8',
      timeout: 9_000,
    });
    expect(ended.stdout).toBe('');
    expect(ended.stderr.match(/line \d/g)).toHaveLength(10);
  });
});
