import { signal } from '@preact/signals';

/**
 * Milliseconds since 1970, updated once a second. A component that shows an age reads it, so it is drawn once a second.
 */
export const nowMs = signal(Date.now());

setInterval(() => {
  // A hidden page need not count.
  if (!document.hidden) nowMs.value = Date.now();
}, 1000);
document.addEventListener('visibilitychange', () => {
  nowMs.value = Date.now();
});
