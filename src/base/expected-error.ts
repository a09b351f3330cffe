/**
 * An error that the person at the terminal can mend. Its message is one line that says what is wrong and what to do;
 * it is shown as it is, without a stack.
 */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExpectedError';
  }
}
