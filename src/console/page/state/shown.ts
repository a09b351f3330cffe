import { effect, signal } from '@preact/signals';
import type { Overview } from '../../../views/screens/overview.ts';
import { ask, type Asking, Refusal } from './ask.ts';
import { route } from './route.ts';
import { session } from './session.ts';
import { listen } from './stream.ts';

/** The data of a screen, or the reason why there are none. */
export interface Shown {
  /** The address of the request for the data. */
  readonly path: string;
  /** Absent before the first answer. */
  readonly data?: unknown;
  readonly refusal?: Refusal;
}

/** The frame around every screen; absent before the first answer. */
export const overview = signal<Overview | undefined>(undefined);

/** The data of the current screen. While another page of the screen loads, the previous page stays. */
export const shown = signal<Shown>({ path: '' });

/** True while the screen waits for an answer that it needs. */
export const loading = signal(false);

/** Returns a function that never runs `work` twice at a time. A call during a run makes one more run after it. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
      // Calls during the wait for `work` set `again`.
    } while (again as boolean);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

/** Keeps the data of the screen current: the route decides what to load, and the stream when to load it again. */
export function keepShown(pathOf: () => string): void {
  const screen = keepScreen(pathOf);
  const frame = oneAtATime(async () => {
    const next = await answerTo('/api/overview');
    if (next.data !== undefined) overview.value = next.data as Overview;
    noticeLostSession(next);
  });
  listen({
    changed: () => {
      screen();
      frame();
    },
    // A restarted console answers again but does not know this page.
    lost: frame,
  });
  frame();
}

/** Follows the route. Returns a function that requests the same screen again. */
function keepScreen(pathOf: () => string): () => void {
  let asking = new AbortController();
  let asked = '';
  const screen = oneAtATime(async () => {
    const path = pathOf();
    asking = new AbortController();
    const { signal } = asking;
    const next = await answerTo(path, { signal });
    if (signal.aborted) return;
    loading.value = false;
    noticeLostSession(next);
    // If the console does not answer, old data is better than none; the frame says how old it is.
    if (next.refusal?.status === 0 && shown.peek().path === path) return;
    shown.value = next;
  });
  effect(() => {
    const path = pathOf();
    if (path !== shown.peek().path) loading.value = true;
    // A new screen does not wait for the answer for the previous one.
    if (path !== asked) asking.abort();
    asked = path;
    screen();
  });
  return screen;
}

/** Requests the screen again at once. */
export function refresh(): void {
  route.value = { ...route.peek() };
}

function noticeLostSession({ refusal }: Shown): void {
  if (refusal?.status === 401) session.value = 'none';
}

async function answerTo(path: string, how: Asking = {}): Promise<Shown> {
  try {
    return { path, data: await ask(path, how) };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { path, refusal };
    throw refusal;
  }
}
