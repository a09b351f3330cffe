import { describe, expect, it } from 'vitest';
import { withMarkedCredentials, withoutCredentials } from '../../src/base/url-text.ts';

describe('a text that may be a URL', () => {
  it.each([
    ['https://code.example.com/agent', 'https://code.example.com/agent', 'https://code.example.com/agent'],
    ['https://u:p@host/x', 'https://host/x', 'https://*@host/x'],
    ['https://u:p@SSTAIL@host/x', 'https://host/x', 'https://*@host/x'],
    ['https://u:p@host?sig=1#part', 'https://host', 'https://*@host?*#part'],
    ['https://host/a@b?x=u@v', 'https://host/a@b', 'https://host/a@b?*'],
    ['user:pass@reg.example/x:1', 'reg.example/x:1', '*@reg.example/x:1'],
    ['reg.example/x@sha256:00', 'reg.example/x@sha256:00', 'reg.example/x@sha256:00'],
    ['x:1@sha256:00', 'x:1@sha256:00', 'x:1@sha256:00'],
    ['is this what you want?', 'is this what you want', 'is this what you want?'],
    ['', '', ''],
  ])('%s loses its login and its query', (text, without, marked) => {
    expect(withoutCredentials(text)).toBe(without);
    expect(withMarkedCredentials(text, '*')).toBe(marked);
  });
});
