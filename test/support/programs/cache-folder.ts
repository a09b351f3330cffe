import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where programs that tests need are kept between runs: outside the checkout, so that `npm ci` leaves them alone. */
export function cacheFolder(of: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dms-operator', of);
}
