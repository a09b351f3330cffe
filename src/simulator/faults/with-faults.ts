import { emptyAnswer, htmlAnswer, jsonAnswer, type SimulatedAnswer } from '../api/exchange.ts';
import type { FailureForm, Fault } from './scenario.ts';
import type { World } from '../state/world.ts';

/**
 * Returns the answer to a request that faults affect. Delays and headers accumulate; the first fault of another kind
 * decides the outcome of the request. `dealWith` carries the request out and is called at most once.
 */
export async function withFaults(
  faults: readonly Fault[],
  world: World,
  dealWith: () => SimulatedAnswer,
): Promise<SimulatedAnswer> {
  const { latencyMs } = world.semanticsOf();
  const delayMs = latencyMs + sum(faults.map((fault) => (fault.kind === 'delay' ? fault.ms : 0)));
  if (delayMs > 0) await world.clock.sleep(delayMs);
  const deciding = faults.find(({ kind }) => kind !== 'delay' && kind !== 'headers');
  const answer = deciding === undefined ? dealWith() : faulty(deciding, world, dealWith);
  const headers = faults.flatMap((fault) => (fault.kind === 'headers' ? [fault.headers] : []));
  return { ...answer, headers: Object.assign({}, answer.headers, ...headers) as SimulatedAnswer['headers'] };
}

function faulty(fault: Fault, world: World, dealWith: () => SimulatedAnswer): SimulatedAnswer {
  switch (fault.kind) {
    case 'delay':
    case 'headers':
      return dealWith();
    case 'hang':
      return failed('hang');
    case 'reset-before':
      return failed('reset');
    case 'reset-mid-body':
      return { ...dealWith(), delivery: 'reset-mid-body' };
    case 'truncate':
      return { ...dealWith(), delivery: 'truncated' };
    case 'wrong-type':
      return htmlAnswer(200, 'Sign in');
    case 'status':
      return stated(fault);
    case 'apply-then-fail':
      dealWith();
      return failed(fault.how);
    case 'fail-then-apply-late':
      world.clock.after(fault.afterMs, dealWith);
      return failed(fault.how);
  }
}

function failed(how: FailureForm): SimulatedAnswer {
  if (typeof how === 'number') return jsonAnswer(how, { detail: 'simulated failure' });
  return { ...emptyAnswer(500), delivery: how };
}

function stated({ status, headers, body }: Fault & { readonly kind: 'status' }): SimulatedAnswer {
  const plain = body === undefined ? jsonAnswer(status, { detail: 'simulated failure' }) : undefined;
  const answer = plain ?? { ...jsonAnswer(status, null), body: body ?? '' };
  return { ...answer, headers: { ...answer.headers, ...lowerCase(headers ?? {}) } };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
