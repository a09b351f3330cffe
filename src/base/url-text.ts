/** The parts of a URL, or of an image reference. */
interface UrlText {
  readonly scheme: string;
  /** The text before the host, without the `@`, or undefined if there is none. */
  readonly login: string | undefined;
  readonly hostAndPath: string;
  /** The query with its `?`, or '' if there is none. */
  readonly query: string;
  readonly fragment: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns a URL or image reference without login, query and fragment, which may contain tokens. */
export function withoutCredentials(text: string): string {
  const { scheme, hostAndPath } = partsOf(text);
  return `${scheme}${hostAndPath}`;
}

/** Replaces the login and the query of a URL by `mark`. Returns any other text unchanged. */
export function withMarkedCredentials(text: string, mark: string): string {
  const { scheme, login, hostAndPath, query, fragment } = partsOf(text);
  const shownQuery = query === '' || scheme === '' ? query : `?${mark}`;
  return `${scheme}${login === undefined ? '' : `${mark}@`}${hostAndPath}${shownQuery}${fragment}`;
}

/** Splits a text into its parts. A login ends at the last `@` before the path, since a password may contain one too. */
function partsOf(text: string): UrlText {
  const [scheme = ''] = SCHEME.exec(text) ?? [];
  const rest = text.slice(scheme.length);
  const hashAt = endOf(rest, rest.indexOf('#'));
  const queryAt = endOf(rest, rest.slice(0, hashAt).indexOf('?'), hashAt);
  const pathAt = endOf(rest, rest.slice(0, queryAt).indexOf('/'), queryAt);
  const loginAt = rest.slice(0, pathAt).lastIndexOf('@');
  const login = loginAt === -1 ? undefined : rest.slice(0, loginAt);
  const isLogin = login !== undefined && (scheme !== '' || (login.includes(':') && pathAt < queryAt));
  return {
    scheme,
    login: isLogin ? login : undefined,
    hostAndPath: rest.slice(isLogin ? loginAt + 1 : 0, queryAt),
    query: rest.slice(queryAt, hashAt),
    fragment: rest.slice(hashAt),
  };
}

function endOf(text: string, at: number, otherwise: number = text.length): number {
  return at === -1 ? otherwise : at;
}
