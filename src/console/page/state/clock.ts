import { signal } from '@preact/signals';

/** Milliseconds since 1970, a second exact: what shows an age reads it and is drawn once a second. */
export const nowMs = signal(Date.now());

setInterval(() => {
  // A page that is not looked at need not count.
  if (!document.hidden) nowMs.value = Date.now();
}, 1000);
document.addEventListener('visibilitychange', () => {
  nowMs.value = Date.now();
});
