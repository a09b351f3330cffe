import packageFile from '../../../package.json' with { type: 'json' };

/** Version of this program, as its package says. */
export const VERSION: string = packageFile.version;

/**
 * Returns how this program names itself to the service and to the API server; with an identity, it also names the
 * process.
 */
export function userAgent(identity?: string): string {
  const program = `dms-operator/${VERSION}`;
  return identity === undefined ? program : `${program} (${identity})`;
}
