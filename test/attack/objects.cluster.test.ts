import { describe, expect } from 'vitest';
import { MOST_PARTS } from '../../src/kubernetes/objects/object-text.ts';
import { attackTest } from '../support/attack/attack.ts';
import type { Attacker } from '../support/attack/ground.ts';
import { deploymentObject } from '../support/attack/objects.ts';

/** A free-form part of a spec with this many empty parts. */
function emptyParts(count: number): string {
  return `[${Array.from({ length: count }, () => '{}').join(',')}]`;
}

/** The text of a Deployment with this text of JSON in a free-form part. */
function withExtra(name: string, extra: string): string {
  const text = JSON.stringify(deploymentObject(name, { creation: { policy: 'IfMissing', extra: { a: 0 } } }));
  return text.replace('"a":0', `"a":${extra}`);
}

const PATH = '/apis/dms-operator.dev/v1alpha1/namespaces';

/** Sent as it is: kubectl would take longer to read one than the controller. */
async function send({ kubectl, namespace }: Attacker, text: string): Promise<void> {
  const { code, stderr } = await kubectl(
    ['create', '--raw', `${PATH}/${namespace}/deployments`, '-f', '-'],
    text,
  );
  if (code !== 0) throw new Error(stderr.slice(0, 2_000));
}

describe('an editor fills the memory', () => {
  attackTest({
    name: 'with Deployments that are as large as may be, as many parts as are read, deep, or full of secrets',
    attacker: 'editor',
    async strike({ attacker }, force) {
      const times = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
      await send(attacker, withExtra('largest', emptyParts(460_000)));
      // The API server is busy for seconds with one of the largest, which the neighbour would notice too.
      for (const n of times(force === 'full' ? 60 : 6))
        await send(attacker, withExtra(`large-${n}`, emptyParts(115_000)));
      const below = emptyParts(MOST_PARTS - 200);
      for (const n of times(force === 'full' ? 120 : 30))
        await send(attacker, withExtra(`below-${n}`, below));
      const deep = '['.repeat(9_000) + ']'.repeat(9_000);
      for (const n of times(force === 'full' ? 10 : 2)) await send(attacker, withExtra(`deep-${n}`, deep));
      const secrets = Array.from({ length: 255 }, (_, n) => ({ name: `S${n}`, value: 'x'.repeat(5_000) }));
      await attacker.create(deploymentObject('secrets', { secrets }));
    },
    async after({ attacker }) {
      const shown = async (name: string): Promise<string> => {
        const path = 'jsonpath={.status.conditions[?(@.type=="Synced")].message}';
        return (await attacker.kubectl(['get', 'dmsd', name, '-o', path])).stdout;
      };
      await expect
        .poll(() => shown('largest'), { timeout: 20_000 })
        .toMatch(
          /^the resource has 920,\d{3} fields and entries, more than the 20,000 that are read; the operator sends nothing/,
        );
      await expect
        .poll(() => shown('deep-0'), { timeout: 20_000 })
        .toMatch(
          /^the resource nests 9,00\d objects and lists inside each other, more than the 100 that are/,
        );
      await expect
        .poll(() => shown('secrets'), { timeout: 20_000 })
        .toMatch(
          /^the resource takes 1,2\d\d KiB, more than the 512 KiB that are read; the operator sends nothing/,
        );
    },
  });
});
