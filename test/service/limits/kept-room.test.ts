import { describe, expect, it } from 'vitest';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';

const MIB = 1024 * 1024;
const room = () => new KeptRoom({ keptBytes: 10 * MIB, sweptBytes: 100 * MIB });
const kept = (mib: number) => ({ read: 0, kept: mib * MIB });

describe('the memory of snapshots', () => {
  it('is limited for one connection, with the limit in words and nothing that changes with each pass', () => {
    const share = room().share('a');
    share.take(kept(10));
    expect(() => share.take(kept(10.1))).toThrow(
      'the deployments of the list take more than 10 MiB of memory',
    );
    expect(() => share.take(kept(11))).toThrow('spec.list.parameters');
  });

  it('is bounded for all connections of a namespace together, those under way included', () => {
    const all = room();
    const shares = ['a', 'a', 'b'].map((lane) => all.share(lane));
    shares[0]?.take(kept(6));
    expect(() => shares[1]?.take(kept(5))).toThrow('10 MiB');
    shares[1]?.giveUp();
    shares[2]?.take(kept(10));
    shares[0]?.settle();
    expect(() => shares[1]?.take(kept(5))).toThrow('10 MiB');
  });

  it('may be replaced by the same amount, and is freed when its connection is removed', () => {
    const all = room();
    const [share, other] = [all.share('a'), all.share('a')];
    for (let pass = 0; pass < 10; pass += 1) {
      share.take(kept(9));
      share.settle();
    }
    expect(() => other.take(kept(2))).toThrow('10 MiB');
    other.giveUp();
    share.leave();
    other.take(kept(10));
  });

  it('of a failed pass is freed, and that of the snapshot before stays', () => {
    const all = room();
    const [share, other] = [all.share('a'), all.share('a')];
    share.take(kept(3));
    share.settle();
    share.take(kept(9));
    share.giveUp();
    other.take(kept(7));
    expect(() => other.take(kept(8))).toThrow('10 MiB');
  });
});

it('an endless list is aborted, however little of it is kept', () => {
  const share = room().share('a');
  share.take({ read: 100 * MIB, kept: 0 });
  expect(() => share.take({ read: 100 * MIB + 1, kept: 0 })).toThrow(
    'the list does not end after 100 MiB of text',
  );
});
