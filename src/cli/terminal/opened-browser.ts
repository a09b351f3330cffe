import type { OpenedBrowser } from '../../compose/console/open-browser.ts';
import type { Environment } from '../../config.ts';

/**
 * Opens an address in the user's browser; returns undefined if there is none. On Linux, a browser needs a display; on
 * other systems, every user has one.
 */
export async function openedBrowser(
  url: string,
  { DISPLAY, WAYLAND_DISPLAY }: Environment,
): Promise<OpenedBrowser | undefined> {
  const { openBrowser } = await import('../../compose/console/open-browser.ts');
  const isGiven = (value: string | undefined): boolean => value !== undefined && value !== '';
  return openBrowser(url, { hasDisplay: isGiven(DISPLAY) || isGiven(WAYLAND_DISPLAY) });
}
