import { describe, expect, it } from 'vitest';
import { answerJson, hasTooManyParts } from '../../../src/service/limits/answer-json.ts';
import { pageOf } from '../../../src/service/list/inventory.ts';

const page = (text: string) => pageOf({ status: 200, headers: {}, text });
const list = (item: string, count: number) =>
  `{"resources":[${`${item},`.repeat(count)}{"id":"a","name":"b"}]}`;

describe('the JSON of an answer', () => {
  it('is none where its parts would fill the memory, whatever they are', () => {
    for (const item of ['{}', '[]', '0', '{"a":{}}']) {
      const text = `[${`${item},`.repeat(1_000_001)}0]`;
      expect(hasTooManyParts(text), item).toBe(true);
      expect(answerJson(text), item).toBeUndefined();
    }
  });

  it('may be long, and its strings may contain what would otherwise be parts', () => {
    const long = `[{},[],"${'\\",'.repeat(1_000_000)}","${'x'.repeat(2_000_000)}"]`;
    expect(hasTooManyParts(long)).toBe(false);
    expect(answerJson(long)).toHaveLength(4);
  });

  it('is refused with what is wrong with it', () => {
    expect(() => page(list('{}', 1_000_001))).toThrow('the answer has more than 1000000 parts');
    expect(() => page(list('0', 50_000))).toThrow('the answer lists more than 50000 at once');
    expect(page(list('0', 49_999)).items).toEqual([{ id: 'a', name: 'b' }]);
  });
});
