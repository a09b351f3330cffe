import { leaseStoreContract } from '../contracts/lease-store.ts';
import { MemoryLease } from '../support/doubles/memory-lease.ts';

leaseStoreContract('memory', async () => {
  const store = new MemoryLease();
  return { store, remove: async () => store.remove() };
});
