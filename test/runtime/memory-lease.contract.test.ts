import { leaseStoreContract } from '../contracts/lease-store.ts';
import { MemoryLease } from '../support/memory-lease.ts';

leaseStoreContract('memory', async () => {
  const store = new MemoryLease();
  return { store, remove: async () => store.remove() };
});
