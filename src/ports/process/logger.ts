/** Facts beside a log message; never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log lines. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/** Levels, the most talkative first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** How much is logged: this level and the more severe ones. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Formats: lines for machines, or for people. */
export const LOG_FORMATS = ['json', 'pretty'] as const;

/** How a line looks. */
export type LogFormat = (typeof LOG_FORMATS)[number];
