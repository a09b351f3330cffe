/**
 * A set-up file of every test file: whatever the subject of a test is, no secret value that the code revealed, or
 * that a test declares as secret, may be in any output: logs, events, statuses, metrics, terminals, addresses, state
 * files, and the output and API writes of a controller in a separate process. The doubles report events and statuses
 * themselves.
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { Registry } from 'prom-client';
import { afterAll, afterEach, expect } from 'vitest';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { forgetSecrets, noteSecret, noteTold, startWatching, takeLeak } from './told.ts';

type Method = (...args: never[]) => unknown;

/** Calls `note` with the arguments and the result of every call of a method of `owner`. */
function spyOn<T extends object>(
  owner: T,
  method: keyof T,
  note: (args: readonly unknown[], result: unknown) => void,
): void {
  const original = owner[method] as Method;
  const spy = function (this: T, ...args: never[]): unknown {
    const result = original.apply(this, args);
    note(args, result);
    return result;
  };
  Object.defineProperty(owner, method, { value: spy, configurable: true, writable: true });
}

interface Asked {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Paths of the operator's own output in a cluster; people write specs, Secrets and ConfigMaps. */
const TOLD_TO_CLUSTER = /\/(status|events|leases)\b/;

// Several test files share a process. The watch observes it once, and each file has secrets of its own.
forgetSecrets();
if (startWatching()) observe();

/** Notes the values that code reveals, and everything that leaves the process. */
function observe(): void {
  spyOn(SecretValue.prototype, 'reveal', (_, value) => noteSecret(String(value)));
  // The registry alone: the whole of prom-client takes ten times as long to load, in every test file.
  const registry = createRequire(import.meta.url)('prom-client/lib/registry.js') as typeof Registry;
  spyOn(registry.prototype, 'metrics', (_, text) => {
    void (text as Promise<string>).then((shown) => noteTold('the metrics', shown));
  });
  for (const stream of [process.stdout, process.stderr]) {
    spyOn(stream, 'write', ([chunk]) => noteTold('the terminal', String(chunk)));
  }
  subscribe('undici:request:create', (message) => {
    const { method, path, body } = (message as { request: Asked }).request;
    noteTold('an address', path);
    if (method !== 'GET' && TOLD_TO_CLUSTER.test(path)) noteTold(`${method} ${path}`, String(body));
  });
}

function expectNoLeak(): void {
  const leak = takeLeak();
  if (leak === undefined) return;
  const { secret, spelling, where, text } = leak;
  expect.fail(`the secret ${secret} was told as ${spelling} by ${where}:\n${text.slice(0, 2000)}`);
}

afterEach(expectNoLeak);
afterAll(expectNoLeak);
