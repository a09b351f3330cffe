import { inject } from 'vitest';
import { askedFor } from '../handed-out.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The address at which bundle-setup.ts returns the program of the shared bundle. It builds the bundle for the
     * first caller.
     */
    bundleAddress: string;
  }
}

/** Building takes seconds, and much longer while a small machine has other work. */
export const BUILD_LIMIT_MS = 120_000;

/**
 * Returns the program of the bundle of the current source, which all files of a run share. Tests must not write into
 * its folder.
 */
export function sharedBundle(): Promise<string> {
  return askedFor<string>(inject('bundleAddress'));
}
