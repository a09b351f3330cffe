import packageFile from '../../package.json' with { type: 'json' };

/** Version of this program, as its package says. */
export const VERSION: string = packageFile.version;

/** How this program names itself to the service and to the API server. */
export function userAgent(): string {
  return `dms-operator/${VERSION}`;
}
