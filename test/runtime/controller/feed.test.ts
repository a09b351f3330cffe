import { describe, expect, it } from 'vitest';
import { keyText } from '../../../src/api/metadata.ts';
import type { Key } from '../../../src/api/metadata.ts';
import { feed } from '../../../src/runtime/controller/feed.ts';

function key(kind: string, name: string): Key {
  return { kind, namespace: 'team', name };
}

/** A source whose reports the test sets. */
class ToldSource {
  tell: (key: Key) => void = () => {};
  readonly #first: readonly Key[];

  constructor(first: readonly Key[]) {
    this.#first = first;
  }

  async start(onChange: (key: Key) => void): Promise<void> {
    this.tell = onChange;
    await Promise.resolve();
    for (const found of this.#first) onChange(found);
  }
}

function recordingQueue(): { readonly added: string[]; add(key: Key, priority?: string): void } {
  const added: string[] = [];
  return { added, add: (found, priority) => added.push(`${keyText(found)} as ${priority}`) };
}

describe('feeding a queue', () => {
  it('adds existing keys with the lowest priority, and changes with their own', async () => {
    const source = new ToldSource([key('Deployment', 'old')]);
    const queue = recordingQueue();
    await feed({ source, queue, priority: 'user' }, new AbortController().signal);
    source.tell(key('Deployment', 'edited'));
    expect(queue.added).toEqual(['Deployment/team/old as resync', 'Deployment/team/edited as user']);
  });

  it('adds existing keys with their own priority if that is known', async () => {
    const source = new ToldSource([key('Deployment', 'old'), key('Deployment', 'edited-before')]);
    const queue = recordingQueue();
    const priorityAtStart = ({ name }: Key) => (name === 'old' ? 'resync' : 'user');
    await feed({ source, queue, priority: 'rollout', priorityAtStart }, new AbortController().signal);
    expect(queue.added).toEqual(['Deployment/team/old as resync', 'Deployment/team/edited-before as user']);
  });

  it('turns a change into the keys that depend on it', async () => {
    const source = new ToldSource([]);
    const queue = recordingQueue();
    const keysFor = (secret: Key): Key[] =>
      ['one', 'two'].map((name) => key('Deployment', `${secret.name}-${name}`));
    await feed({ source, queue, priority: 'rollout', keysFor }, new AbortController().signal);
    source.tell(key('Secret', 'tokens'));
    expect(queue.added).toEqual([
      'Deployment/team/tokens-one as rollout',
      'Deployment/team/tokens-two as rollout',
    ]);
  });

  it('adds nothing after the abort', async () => {
    const source = new ToldSource([]);
    const queue = recordingQueue();
    const abort = new AbortController();
    await feed({ source, queue, priority: 'user' }, abort.signal);
    abort.abort();
    source.tell(key('Deployment', 'late'));
    expect(queue.added).toEqual([]);
  });

  it('fails if the source cannot start', async () => {
    const source = { start: () => Promise.reject(new Error('no such folder')) };
    const feeding = feed({ source, queue: recordingQueue(), priority: 'user' }, new AbortController().signal);
    await expect(feeding).rejects.toThrow('no such folder');
  });
});
