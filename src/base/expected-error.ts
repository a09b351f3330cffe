/**
 * An error that has its cause outside this program. Its message is one line for people that says what is wrong; it is
 * shown as it is, without a stack.
 */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExpectedError';
  }
}
