import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The length of secrets, in bytes: too long to guess. */
const SECRET_BYTES = 32;

/**
 * The single session of a console. A browser exchanges a one-time token for a cookie, and gets with the cookie the text
 * that every POST must carry.
 */
export class Session {
  #token: string | undefined = secret();
  #cookie: string | undefined;
  #csrf = '';
  readonly #cookieName: string;

  /**
   * Puts the port into the cookie's name: browsers share cookies between ports, and two consoles must not end each
   * other's sessions.
   */
  constructor(port: number) {
    this.#cookieName = `dms_console_${port}`;
  }

  /** The one-time token that begins the session; undefined after its use. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Begins the session. Returns undefined if the token is wrong or was used before. */
  begin(token: string): { readonly csrf: string; readonly setCookie: string } | undefined {
    if (this.#token === undefined || !isSame(token, this.#token)) return undefined;
    this.#token = undefined;
    this.#cookie = secret();
    this.#csrf = secret();
    const setCookie = `${this.#cookieName}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
    return { csrf: this.#csrf, setCookie };
  }

  /** Returns the text for POSTs if the request has the cookie, else undefined. */
  csrfOf(cookieHeader: string | undefined): string | undefined {
    if (this.#cookie === undefined) return undefined;
    const prefix = `${this.#cookieName}=`;
    const found = (cookieHeader ?? '').split('; ').find((pair) => pair.startsWith(prefix));
    return found !== undefined && isSame(found.slice(prefix.length), this.#cookie) ? this.#csrf : undefined;
  }
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
