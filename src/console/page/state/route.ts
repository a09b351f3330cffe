import { signal } from '@preact/signals';

/** The current screen and its subject. */
export interface Route {
  readonly screen: string;
  readonly query: Query;
}

/** The filter, the page or the resource that a screen is about. */
export type Query = Readonly<Record<string, string>>;

/** The route in the address. It follows the address bar, links and the browser's back and forward buttons. */
export const route = signal<Route>(routeOf(location.hash));

addEventListener('hashchange', () => {
  route.value = routeOf(location.hash);
});

/** Returns the address of a screen on this page, without the empty members of the query. */
export function hrefOf(screen: string, query: Query = {}): string {
  const words = Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':')}`);
  return `#/${screen}${words.length === 0 ? '' : `?${words.join('&')}`}`;
}

/** Opens a screen. With `replace`, the back button skips the current screen. */
export function go(screen: string, query: Query = {}, { replace = false } = {}): void {
  const href = hrefOf(screen, query);
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  route.value = routeOf(href);
}

function routeOf(hash: string): Route {
  const [path = '', words = ''] = hash.split(/\?(.*)/su);
  const query = words.split('&').flatMap((word) => {
    const [name = '', value] = word.split(/=(.*)/su);
    return value === undefined ? [] : [[name, decoded(value)] as const];
  });
  return { screen: path.replace(/^#\/?/u, ''), query: Object.fromEntries(query) };
}

/** Decodes a part of the address. A typed address may contain a percent sign that encodes nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
