import packageFile from '../../../package.json' with { type: 'json' };

/** The version of this program, from its package. */
export const VERSION: string = packageFile.version;

/**
 * Returns the user agent of this program for the service and for the API server; with an identity, it also names the
 * process.
 */
export function userAgent(identity?: string): string {
  const program = `dms-operator/${VERSION}`;
  return identity === undefined ? program : `${program} (${identity})`;
}
