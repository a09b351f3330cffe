import { pino } from 'pino';
import type { Logger as PinoInstance } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Redact } from '../model/redaction/redact.ts';
import { redactorOf } from '../model/redaction/redact.ts';
import type { Clock } from '../ports/process/clock.ts';
import type { LogFields, LogFormat, Logger, LogLevel } from '../ports/process/logger.ts';
import { loggable } from './loggable.ts';

/** The options of a logger. */
export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly clock: Pick<Clock, 'now'>;
  /** Applied to every text. Default: removes control characters and truncates very long texts. */
  readonly redact?: Redact;
  /** True for colours in the pretty format. */
  readonly colour?: boolean;
  /** The destination of the lines: a file descriptor, or an object that accepts lines. Default: standard output. */
  readonly output?: number | { write(line: string): unknown };
}

const LONGEST_TEXT = 8_192;

/** A second safeguard after `loggable`, for fields that reach pino in another way. */
const REDACTED_PATHS = ['headers', 'body', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/**
 * Creates a logger that writes each line before it returns, so that no logged line is lost. It hides every secret that
 * it can recognise: by name, by type, or by `redact`.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, clock } = options;
  const instance = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    destinationOf(options),
  );
  return new PinoLogger(instance, options.redact ?? redactorOf([], LONGEST_TEXT));
}

function destinationOf({ format, output = 1, colour = false }: LoggerOptions): {
  write(line: string): unknown;
} {
  // Synchronous and unbuffered: a buffer would lose the lines before a crash.
  const lines =
    typeof output === 'number' ? pino.destination({ dest: output, sync: true, minLength: 0 }) : output;
  if (format === 'json') return lines;
  const pretty = prettyFactory({ colorize: colour, translateTime: 'UTC:HH:MM:ss.l', singleLine: true });
  return { write: (line) => lines.write(pretty(line)) };
}

class PinoLogger implements Logger {
  readonly #pino: PinoInstance;
  readonly #redact: Redact;

  constructor(instance: PinoInstance, redact: Redact) {
    this.#pino = instance;
    this.#redact = redact;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new PinoLogger(this.#pino.child(this.#safe(fields, false)), this.#redact);
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.#pino.isLevelEnabled(level)) return;
    this.#pino[level](this.#safe(fields, level === 'error'), this.#redact(message));
  }

  /** Returns the loggable fields. Renames those that have the name of one of the line's own members. */
  #safe(fields: LogFields, withStacks: boolean): Record<string, unknown> {
    const safe = loggable(fields, { redact: this.#redact, withStacks });
    return Object.fromEntries(
      Object.entries(safe ?? {}).map(([name, value]) => [
        /^(?:level|time|msg)$/.test(name) ? `${name}_` : name,
        value,
      ]),
    );
  }
}
