import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the folder that keeps programs between runs. It is outside the checkout, so `npm ci` does not remove them.
 */
export function cacheFolder(of: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dms-operator', of);
}
