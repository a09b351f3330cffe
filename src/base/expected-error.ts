/**
 * An error whose cause is outside this program. Its one-line message tells a person what is wrong, and is shown without
 * a stack.
 */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExpectedError';
  }
}
