import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Too much to guess. */
const SECRET_BYTES = 32;

/**
 * The one session of a console: a token that works once becomes a cookie, and with the cookie comes the text that every
 * POST must carry.
 */
export class Session {
  #token: string | undefined = secret();
  #cookie: string | undefined;
  #csrf = '';
  readonly #cookieName: string;

  /** Cookies do not differ by port, so that the name does: two consoles do not end each other's sessions. */
  constructor(port: number) {
    this.#cookieName = `dms_console_${port}`;
  }

  /** The text that begins the session; undefined once it did. */
  get token(): string | undefined {
    return this.#token;
  }

  /** Begins the session; undefined for a token that is wrong, or was used. */
  begin(token: string): { readonly csrf: string; readonly setCookie: string } | undefined {
    if (this.#token === undefined || !isSame(token, this.#token)) return undefined;
    this.#token = undefined;
    this.#cookie = secret();
    this.#csrf = secret();
    const setCookie = `${this.#cookieName}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
    return { csrf: this.#csrf, setCookie };
  }

  /** The text for POSTs, for a request that has the cookie; undefined for every other. */
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

/** Takes as long wherever two texts differ. */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
