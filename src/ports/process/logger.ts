/** Facts beside a log message. Never contains a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured log lines. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** The log levels, the most verbose first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** The least severe level that is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The log formats: lines for machines, or for people. */
export const LOG_FORMATS = ['json', 'pretty'] as const;

/** The format of a log line. */
export type LogFormat = (typeof LOG_FORMATS)[number];
