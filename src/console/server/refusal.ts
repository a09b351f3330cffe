import type { ErrorAnswer } from '../../views/screens/console-messages.ts';

/** An error that refuses a request; its message is for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly beside: Omit<ErrorAnswer, 'error'>;

  constructor(status: number, message: string, beside: Omit<ErrorAnswer, 'error'> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.beside = beside;
  }
}
