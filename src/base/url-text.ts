/** The parts of a URL, or of an image reference, that a login and a query are cut out of. */
interface UrlText {
  readonly scheme: string;
  /** The text before the host, without the sign that ends it; undefined where there is none. */
  readonly login: string | undefined;
  readonly hostAndPath: string;
  /** With its first sign; '' where there is none. */
  readonly query: string;
  readonly fragment: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** A URL or image reference without login, query and fragment, which may carry tokens. */
export function withoutCredentials(text: string): string {
  const { scheme, hostAndPath } = partsOf(text);
  return `${scheme}${hostAndPath}`;
}

/** A text with `mark` in place of the login and the query of the URL that it is; any other text as it is. */
export function withMarkedCredentials(text: string, mark: string): string {
  const { scheme, login, hostAndPath, query, fragment } = partsOf(text);
  const shownQuery = query === '' || scheme === '' ? query : `?${mark}`;
  return `${scheme}${login === undefined ? '' : `${mark}@`}${hostAndPath}${shownQuery}${fragment}`;
}

/** A login ends at the last `@` before the path: a password may hold one, too. */
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
