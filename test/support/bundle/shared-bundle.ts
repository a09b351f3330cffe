import { inject } from 'vitest';
import { askedFor } from '../handed-out.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address at which bundle-setup.ts answers with the program of the shared bundle, building it for whoever asks first. */
    bundleAddress: string;
  }
}

/** Building takes seconds, and many of them beside other work on a small machine. */
export const BUILD_LIMIT_MS = 120_000;

/** The program of the bundle of the present source, which all files of a run share; nobody may write into its folder. */
export function sharedBundle(): Promise<string> {
  return askedFor<string>(inject('bundleAddress'));
}
