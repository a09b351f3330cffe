import { effect, signal } from '@preact/signals';
import type { Overview } from '../../../views/screens/overview.ts';
import { ask, type Asking, Refusal } from './ask.ts';
import { route } from './route.ts';
import { session } from './session.ts';
import { listen } from './stream.ts';

/** The data of a screen, or why there are none. */
export interface Shown {
  /** The address that it was asked for with. */
  readonly path: string;
  /** Absent until the first answer came. */
  readonly data?: unknown;
  readonly refusal?: Refusal;
}

/** The frame around every screen; absent until the first answer came. */
export const overview = signal<Overview | undefined>(undefined);

/** The data of the current screen. While another page of it loads, the previous one stays. */
export const shown = signal<Shown>({ path: '' });

/** True while an answer is awaited that the screen cannot do without. */
export const loading = signal(false);

/** A request that asks once more after the answer where it was wanted meanwhile, so that there are never two. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
      // `again` is set by calls that came while work was awaited.
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
    // A console that was started again is there, and does not know this page.
    lost: frame,
  });
  frame();
}

/** Follows the route. Returns the way to ask for the same screen again. */
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
    // Where the console does not answer, the old picture is better than none; the frame says how old it is.
    if (next.refusal?.status === 0 && shown.peek().path === path) return;
    shown.value = next;
  });
  effect(() => {
    const path = pathOf();
    if (path !== shown.peek().path) loading.value = true;
    // Another screen does not wait for the answer to the one before.
    if (path !== asked) asking.abort();
    asked = path;
    screen();
  });
  return screen;
}

/** Asks for the screen once more, at once. */
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
