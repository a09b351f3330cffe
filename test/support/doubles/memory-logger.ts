import type { LogFields, Logger } from '../../../src/ports/process/logger.ts';
import { noteTold } from '../leaks/told.ts';

/** One line that was logged. */
export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps every line; a child writes into the same list. */
export class MemoryLogger implements Logger {
  readonly lines: LoggedLine[];
  readonly #fields: LogFields;

  constructor(lines: LoggedLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
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
    return new MemoryLogger(this.lines, { ...this.#fields, ...fields });
  }

  /** Messages of one level, oldest first. */
  messages(level: LoggedLine['level']): readonly string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #log(level: LoggedLine['level'], message: string, fields: LogFields = {}): void {
    const line = { level, message, fields: { ...this.#fields, ...fields } };
    noteTold('the log', line);
    this.lines.push(line);
  }
}
