import { describe, expect, it } from 'vitest';
import { memoryLimits } from '../../../src/service/limits/memory-limits.ts';
import { KeptRoom, type Taken } from '../../../src/service/limits/kept-room.ts';
import { NO_PAGE_KNOWLEDGE, type Page } from '../../../src/service/list/pages.ts';
import { readSweep } from '../../../src/service/list/read-sweep.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const MIB = 1024 * 1024;

describe('the bounds of answers', () => {
  it('of the shipped pod are those that the threat model names', () => {
    const { answerBytes, answerParts, keptBytes, sweptBytes } = memoryLimits(256 * MIB);
    expect(answerBytes).toBe(8 * MIB);
    expect(answerParts).toBe(87_381);
    expect(Math.round(keptBytes / MIB)).toBe(51);
    expect(sweptBytes).toBe(512 * MIB);
  });

  it('grow with memory, up to a size that no answer has', () => {
    expect(memoryLimits(512 * MIB)).toMatchObject({ answerBytes: 16 * MIB, answerParts: 174_762 });
    expect(memoryLimits(8192 * MIB)).toMatchObject({ answerBytes: 32 * MIB, answerParts: 1_000_000 });
  });

  it('leave room in the shipped pod for ten thousand bound deployments', async () => {
    const taken = await taking(1_000);
    expect(taken.kept / 1_000).toBeLessThan(3_000);
    new KeptRoom(memoryLimits(256 * MIB)).share('a').take({ read: 0, kept: 10 * taken.kept });
  });
});

/** Returns the memory that a pass takes over `count` deployments with an ordinary configuration. */
async function taking(count: number): Promise<Taken> {
  let taken: Taken = { read: 0, kept: 0 };
  await readSweep(
    { number: 1, beganMs: 0, complete: true },
    {
      clock: new VirtualClock(),
      fetchPage: async (offset, limit) => pageOf(offset, Math.min(limit, count - offset)),
      pageSize: 100,
      before: undefined,
      knowledge: NO_PAGE_KNOWLEDGE,
      wanted: 'all',
      onTaken: (now) => (taken = now),
      work: (task) => task(),
      onShown: () => undefined,
      onMoved: () => undefined,
      onFullFirstPage: () => undefined,
    },
  );
  return taken;
}

function pageOf(offset: number, count: number): Page {
  const items = Array.from({ length: count }, (_, n) => ({
    id: `00000000-0000-4000-8000-${String(offset + n).padStart(12, '0')}`,
    name: `agent-${offset + n}`,
    tenant_id: '00000000-0000-4000-8000-000000000000',
    source: 'external_container',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    status: 'READY',
    latest_revision_id: `00000000-0000-4000-9000-${String(offset + n).padStart(12, '0')}`,
    active_revision_id: `00000000-0000-4000-9000-${String(offset + n).padStart(12, '0')}`,
    source_config: {
      custom_url: `https://agent-${offset + n}.example.com`,
      resource_spec: { min_scale: 1, max_scale: 3, cpu: 1, memory_mb: 1024, labels: { team: 'a' } },
    },
    source_revision_config: { image_uri: `registry.example.com/team-a/agent:${offset + n}` },
    secret_references: [{ name: 'API_KEY', secret_name: 'agents', secret_key: `key-${offset + n}` }],
  }));
  return { items, malformed: [], unknownFields: new Map() };
}
