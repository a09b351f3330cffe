import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { asBase64, withoutEntities } from '../../../src/model/redaction/reading.ts';
import { countingRedactorOf, redactorOf, redactText } from '../../../src/model/redaction/redact.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

const redact = (text: string, ...secrets: string[]): string =>
  redactText(
    text,
    secrets.map((value) => new SecretValue(value)),
    4_096,
  );

/** Returns the number of steps for each character of a text and of a searched value. */
function stepsPerCharacter(text: string, value: string): number {
  const steps = { count: 0 };
  countingRedactorOf([new SecretValue(value)], 4_096)(text, steps);
  return steps.count / (text.length + value.length);
}

const inJSON = (value: string): string => JSON.stringify(value).slice(1, -1);
const asUnicode = (value: string): string =>
  Array.from(
    { length: value.length },
    (_, n) => `\\u${value.charCodeAt(n).toString(16).padStart(4, '0')}`,
  ).join('');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};
const inHTML = (value: string): string => value.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
const byCodePoint = (value: string): string =>
  value.replaceAll(/./gsu, (sign) => `&#${sign.codePointAt(0)};`);

/** The form in which Python shows ASCII text. */
const inPython = (value: string): string =>
  inJSON(value).replaceAll(/[^\0-\x7f]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    const [letter, digits] = code < 0x100 ? ['x', 2] : code < 0x10_000 ? ['u', 4] : ['U', 8];
    return `\\${letter}${code.toString(16).padStart(digits, '0')}`;
  });
const asBytes = (value: string): string =>
  Array.from(Buffer.from(value), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/** The forms in which an error text repeats a value. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in JSON': inJSON,
  'in JSON inside JSON': (value) => inJSON(inJSON(value)),
  'in JSON with escaped slashes': (value) => inJSON(value).replaceAll('/', '\\/'),
  'in JSON of ASCII only': (value) => inJSON(value).replaceAll(/[^\0-\x7f]/g, asUnicode),
  'in JSON that is safe in HTML': (value) => inJSON(value).replaceAll(/[<>&]/g, asUnicode),
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (value) =>
    encodeURIComponent(value).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'URL-encoded, every byte': (value) => asBytes(value).replaceAll('\\x', '%'),
  'URL-encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'form-encoded': (value) => encodeURIComponent(value).replaceAll('%20', '+'),
  'in base64': (value) => Buffer.from(value).toString('base64'),
  'in base64 for URLs': (value) => Buffer.from(value).toString('base64url'),
  'in entities of HTML': inHTML,
  'in entities of HTML, twice': (value) => inHTML(inHTML(value)),
  'in entities of HTML by number': byCodePoint,
  'in JSON in entities of HTML': (value) => inHTML(inJSON(value)),
  'in Python': inPython,
  'in Python, byte by byte': asBytes,
  'in base64 of short lines': (value) =>
    Buffer.from(value)
      .toString('base64')
      .replaceAll(/.{8}(?=.)/g, '$&\n'),
  'in base64, URL-encoded': (value) => encodeURIComponent(Buffer.from(value).toString('base64')),
};

const VALUES: readonly string[] = [
  'hunter22',
  'p@ss/w0rd+x=y&z',
  'with "quotes" and \\backslashes\\ and \\\\more',
  'two words',
  'schlüssel-日本-🔑',
  'line one of a key\nline two of a key\n',
  '<tag attr="x">&amp;</tag>',
  '%41&#66;C',
  "it's 100% \t secret",
  '{"type":"service_account","private_key":"-----BEGIN KEY-----\\nabc/def+ghi=\\n-----END KEY-----\\n"}',
];

describe('redaction', () => {
  describe.each(Object.entries(SPELLINGS))('%s', (_name, spell) => {
    it.each(VALUES)('hides %j', (value) => {
      const shown = redact(`invalid value "${spell(value)}" for field secrets[0]`, value);
      expect(shown).toBe('invalid value "[redacted]" for field secrets[0]');
    });
  });

  it.each(['u', 'us', 'user', 'user:'])(
    'hides a value inside the base64 of a longer text, after %j',
    (before) => {
      const secret = 'tok/en+with-some length';
      const header = Buffer.from(`${before}${secret}:after`).toString('base64');
      const shown = redact(`Authorization: Basic ${header}`, secret);
      const kept = /Basic (.*)\[redacted\](.*)$/.exec(shown);
      expect(kept).not.toBeNull();
      const recovered = Buffer.from(kept![1]!, 'base64').toString();
      expect(before.startsWith(recovered)).toBe(true);
    },
  );

  it('hides every occurrence of every secret, overlapping ones included', () => {
    expect(redact('abcdef and abcd and cdef', 'abcd', 'cdef')).toBe(
      '[redacted] and [redacted] and [redacted]',
    );
    expect(redact('ababab', 'abab')).toBe('[redacted]');
    expect(redact('long-secret-tail', 'long', 'long-secret')).toBe('[redacted]-tail');
  });

  it('hides single lines of a longer value, and a part of a very long value', () => {
    const lines = [
      '-----BEGIN KEY-----',
      'MIIBVAIBADANBgkqhkiG',
      '9w0BAQEFAASCAT4wggE6',
      '-----END KEY-----',
    ];
    expect(redact(`bad line ${lines[1]}.`, lines.join('\n'))).toBe('bad line [redacted].');
    expect(redact(`bad key ${lines.join(' ')}`, lines.join('\r\n'))).not.toMatch(/MII|9w0/);
    const long = Array.from({ length: 2_000 }, (_, n) => String(n * 7_919)).join('-');
    expect(redact(`too long: ${long.slice(0, 3_000)}`, long)).toMatch(/^too long: \[redacted\].{0,1024}$/);
    expect(redact(`too long: ${long}`, long)).toBe('too long: [redacted]');
  });

  it.each([
    ['hunter2\n', 'bad "hunter2"', 'bad "[redacted]"'],
    ['  abc\r\n', 'bad abc, not abcd', 'bad [redacted], not abcd'],
    ['bob\nhunter22\nend', 'user bob, password hunter22', 'user bob, password [redacted]'],
    ['main\nlatest\ntrue\nadmin\n', 'admin has true, latest of main', 'admin has true, latest of main'],
    ['user=admin\npassword=hunter2\n', 'no admin has hunter2, hunter22', 'no admin has [redacted], hunter22'],
    ['{"user": "admin", "api_key": "hunter2\\nhunter3"}', 'no admin has hunter2', 'no admin has [redacted]'],
    ['postgres://admin:hunter2@db/prod', 'admin has hunter2 of prod', 'admin has [redacted] of prod'],
    ['https://admin@host', 'no admin at host', 'no admin at host'],
    ['https://a-long%2dtoken@host', 'a-long-token, a-long%2dtoken', '[redacted], [redacted]'],
    ['https://a-long-token:@host', 'a-long-token at host', '[redacted] at host'],
    ['postgres://app:hunt%40r@db/prod', 'no login with hunt@r', 'no login with [redacted]'],
    [
      'postgres://app:hunter22@db/prod',
      'hunter22 is no password of prod',
      '[redacted] is no password of prod',
    ],
    ['export API_TOKEN="hunter22"\nHOST=example', 'hunter22 at example', '[redacted] at example'],
    ['password: hunter22\nhost: example', 'hunter22 at example', '[redacted] at example'],
    [
      '{"type": "account", "private_key": "first line\\nother line"}',
      'account: other line',
      'account: [redacted]',
    ],
    ['{"db": [{"url": "redis://:hunter22@db"}]}', 'db: hunter22', 'db: [redacted]'],
    ['DB_PASSWORD=hunter2hunter2', 'bad hunter2hunter2', 'bad [redacted]'],
    ['password: hunter2', 'bad hunter2, not hunter22', 'bad [redacted], not hunter22'],
    ['DB_URL=redis://:hunter22@db', 'db: hunter22', 'db: [redacted]'],
    ['SECRET_URL=redis://:hunter22@db\n', 'db: hunter22', 'db: [redacted]'],
    ['X_TOKEN="hunter22" # of "bob"', 'bad hunter22 of "bob"', 'bad [redacted] of "bob"'],
    ['X_TOKEN=hunter22 # of bob', 'bad hunter22 of bob', 'bad [redacted] of bob'],
    ['X_TOKEN=hunter22;', 'bad hunter22', 'bad [redacted]'],
    ['{"password": 1234567890}', 'bad 1234567890', 'bad [redacted]'],
    ['{"token": 12345678901234567890}', 'bad 12345678901234567890', 'bad [redacted]'],
    ['{"password": {"value": "hunter2"}}', 'bad hunter2', 'bad [redacted]'],
    ['{"tokens": [{"prod": "hunter22", "to": "main"}]}', 'bad hunter22 to main', 'bad [redacted] to main'],
  ])('hides what of %j a service may repeat alone', (value, text, shown) => {
    expect(redact(text, value)).toBe(shown);
  });

  it('hides a very short value only if it stands alone', () => {
    expect(redact('input "1" is not in 10..12, line 1', '1')).toBe(
      'input "[redacted]" is not in 10..12, line [redacted]',
    );
    expect(redact('debug=on, connection lost', 'on')).toBe('debug=[redacted], connection lost');
  });

  it('leaves other text unchanged, and ignores an empty secret', () => {
    expect(redact('image "registry.example.com/agent:1.4" not found (404)', 'hunter22', '')).toBe(
      'image "registry.example.com/agent:1.4" not found (404)',
    );
  });

  it('treats characters with a meaning in patterns or replacements literally', () => {
    expect(redact('x $& y a.c', '$&$&', 'a.c(')).toBe('x $& y a.c');
    expect(redact('[a-z]+(.*)$^|?{2}', '[a-z]+(.*)$^|?{2}')).toBe('[redacted]');
  });

  it('turns control and invisible characters into spaces', () => {
    expect(redact('one\r\n\ttwo\u0000\u001b[31mthree\u202efour\u200bfive\u2028six')).toBe(
      'one two [31mthree four five six',
    );
    expect(redact('broken \ud800 pair')).toBe('broken \ufffd pair');
  });

  it('truncates to the given length after the redaction', () => {
    const secret = new SecretValue('s3cret-value');
    expect(redactText(`${'x'.repeat(20)}s3cret-value`, [secret], 25)).toBe(`${'x'.repeat(20)}[r…`);
    expect(Buffer.byteLength(redactText('x'.repeat(600), []))).toBe(512);
    expect(redactText('🔑🔑🔑', [], 9)).toBe('🔑…');
    expect(redactText('exact', [], 5)).toBe('exact');
  });

  it('shows no beginning of a secret that starts at the search limit', () => {
    const secret = 'q'.repeat(300);
    const redactor = redactorOf([new SecretValue(secret), new SecretValue('m'.repeat(90))], 100);
    for (let before = 9_000; before < 10_200; before += 37) {
      const shown = redactor(`${'m'.repeat(90).repeat(Math.floor(before / 90))}${secret} end`);
      expect(shown).not.toContain('q');
    }
  });

  it('takes steps in proportion to text and value, whatever they are made of', () => {
    const anyTricky = (maxLength: number): fc.Arbitrary<string> =>
      fc.string({
        unit: fc.constantFrom(...Array.from('\\"/\'\na%25cu0+=&;#xU:@{['), 'amp;'),
        minLength: 1,
        maxLength,
      });
    fc.assert(
      fc.property(anyTricky(80), anyTricky(400), (value, text) => {
        expect(stepsPerCharacter(text, value)).toBeLessThan(40);
      }),
      { numRuns: 20_000 },
    );
    const n = 400;
    for (const [value, text] of [
      ['\\"'.repeat(n) + 'X', ('\\'.repeat(9) + '"').repeat(n) + 'Y'],
      ['\\/'.repeat(n), '\\'.repeat(9 * n)],
      ["\\'\n".repeat(n), '\\n'.repeat(n)],
      ['a'.repeat(4 * n) + 'b', 'a'.repeat(40 * n)],
      ['%'.repeat(n), '%25'.repeat(9 * n)],
      ['&'.repeat(n), '&' + 'amp;'.repeat(9 * n)],
      ['&#1;'.repeat(n), '&#1'.repeat(9 * n)],
      ['\\xf0'.repeat(n), ('\\xf0' + '\\'.repeat(9)).repeat(n)],
      ['a:@'.repeat(n), 'a:@'.repeat(9 * n)],
      ['YWFh'.repeat(n), 'YWFh'.repeat(9 * n)],
    ] as const)
      expect(stepsPerCharacter(text, value), JSON.stringify(value.slice(0, 9))).toBeLessThan(40);
  });

  it('needs no extra time for a value that a pattern could divide in very many ways', () => {
    const begin = performance.now();
    for (const tricky of ['"#', '" ', ' ', ' #', '",', ',', ' ;'])
      redact(
        'an ordinary error',
        `TOKEN=""${tricky.repeat(60_000 / tricky.length)}\u2028x`,
        `TOKEN=x${tricky.repeat(60_000 / tricky.length)}x`,
      );
    expect(performance.now() - begin).toBeLessThan(1_000);
  });

  it('searches short values only in the lengths that occur', () => {
    const text = 'an ordinary error of a service '.repeat(40);
    expect(stepsPerCharacter(text, 'z1')).toBeLessThan(stepsPerCharacter(text, 'unknown-value') + 2.5);
  });

  it('decodes no text without a sign of an encoding', () => {
    const signsRead = (read: (text: string) => unknown, text: string): number => {
      const charAt = vi.spyOn(String.prototype, 'charAt');
      read(text);
      const { length } = charAt.mock.calls;
      charAt.mockRestore();
      return length;
    };
    const text = 'an ordinary error of a service '.repeat(40);
    for (const [read, sign] of [
      [asBase64, '%'],
      [withoutEntities, '&'],
    ] as const)
      expect(signsRead(read, text)).toBeLessThan(0.6 * signsRead(read, `${text}${sign}`));
  });

  it('shows nothing of a text if there are too many secrets to search', () => {
    const secrets = Array.from({ length: 20_000 }, (_, at) => `value-number-${at}`);
    expect(redact('an ordinary error', ...secrets)).toBe('[redacted]');
    const alike = Array.from({ length: 300 }, (_, at) => `begins-alike-${'x'.repeat(300)}-${at}-ends-alike`);
    expect(redact(`begins-alike ${'x'.repeat(9)} ends-alike`, ...alike)).toBe('[redacted]');
  });

  it('hides any value in any spelling between any texts', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 30 });
    const anyValue = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 });
    const anySpelling = fc.constantFrom(...Object.values(SPELLINGS));
    fc.assert(
      fc.property(anyText, anyValue, anyText, anySpelling, (before, value, after, spell) => {
        fc.pre(!before.includes(value) && !after.includes(value));
        const shown = redact(`${before} ${spell(value)} ${after}`, value);
        const left = shown.replaceAll('[redacted]', ' ');
        expect(left).not.toContain(spell(value));
        expect(shown).toContain('[redacted]');
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['as it is', (cut: string) => cut],
    ['in JSON', (cut: string) => inJSON(cut)],
    ['URL-encoded', encodeURIComponent],
  ])('hides the beginning of a secret before an ellipsis, %s', (_how, spell) => {
    const secret = 'qé"jx%zk/vqwé"jx%zk';
    for (let length = 4; length < secret.length; length += 1) {
      const cut = spell(secret.slice(0, length));
      for (const mark of ['…', '...', '..."), not more'])
        expect(redact(`got value=${cut}${mark}`, secret)).toBe(`got value=[redacted]${mark}`);
    }
    for (let length = 14; length < spell(secret).length; length += 1) {
      const shown = redact(`got value=${spell(secret).slice(0, length)}…`, secret);
      expect(shown).toMatch(/^got value=\[redacted\][%\\u\dcea2]{0,6}…$/i);
    }
    expect(redact('the queue is long…', 'queue-token')).toBe('the queue is long…');
  });

  it('hides the beginning of base64 before an ellipsis', () => {
    const secret = 'tok/en+with-some length';
    const encoded = Buffer.from(secret).toString('base64');
    for (let length = 8; length < encoded.length; length += 1)
      expect(redact(`header ${encoded.slice(0, length)}…`, secret)).toBe('header [redacted]…');
  });

  it('reads the secrets once for all texts', () => {
    const lines = Array.from(
      { length: 9_000 },
      (_, n) => `a line with "quotes" and a number of its own: ${n}`,
    );
    for (const value of ['q'.repeat(900_000), lines.join('\n'), '\\"/a'.repeat(200_000)]) {
      const redactor = countingRedactorOf([new SecretValue(value)], 1_024);
      const steps = { count: 0 };
      redactor('a \\"first\\" text, 100%25', steps);
      const first = steps.count;
      for (let n = 0; n < 100; n += 1) redactor(`a \\"text\\" of the service, 100%25 of ${n}`, steps);
      expect(first).toBeLessThan(8 * value.length);
      expect(steps.count - first).toBeLessThan(100 * 3_000);
    }
  });

  it('is a last line of defence for many secrets at once', () => {
    const secrets = Array.from({ length: 200 }, (_, n) => new SecretValue(`value-number-${n}-of-many`));
    const redactor = redactorOf(secrets);
    expect(redactor('first value-number-7-of-many, then value-number-199-of-many')).toBe(
      'first [redacted], then [redacted]',
    );
  });
});
