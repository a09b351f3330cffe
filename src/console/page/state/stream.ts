import { signal } from '@preact/signals';
import type { ChangedEvent } from '../../../views/screens/console-messages.ts';

/** The state of the connection to the console: whether it is open, and when the console last sent something. */
export interface Line {
  readonly heard: boolean;
  readonly lastMs: number;
}

/** The connection to the console. */
export const line = signal<Line>({ heard: true, lastMs: Date.now() });

const AGAIN_MS = 1000;
/** The silence after which the connection counts as lost: the console sends a heartbeat every ten seconds. */
const SILENT_MS = 25_000;

interface Listener {
  readonly changed: (event: ChangedEvent | undefined) => void;
  /** Called whenever the connection is lost, and whenever an attempt to reconnect fails. */
  readonly lost: () => void;
}

/**
 * Listens for changes while the page is visible, and reconnects whenever the connection is lost. A browser opens at
 * most six connections to one server, so pages in the background close theirs.
 */
export function listen(listener: Listener): void {
  let source: EventSource | undefined;
  const close = (): void => {
    source?.close();
    source = undefined;
  };
  const lost = (): void => {
    close();
    line.value = { ...line.value, heard: false };
    listener.lost();
    setTimeout(connect, AGAIN_MS);
  };
  const connect = (): void => {
    if (source !== undefined || document.hidden) return;
    source = new EventSource('/api/stream');
    follow(source, { ...listener, lost });
  };
  connect();
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : connect()));
  setInterval(() => {
    if (source !== undefined && Date.now() - line.value.lastMs > SILENT_MS) lost();
  }, AGAIN_MS);
}

function follow(source: EventSource, { changed, lost }: Listener): void {
  const heard = (): void => {
    line.value = { heard: true, lastMs: Date.now() };
  };
  source.addEventListener('open', () => {
    heard();
    changed(undefined);
  });
  source.addEventListener('heartbeat', heard);
  source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
    heard();
    changed(JSON.parse(data) as ChangedEvent);
  });
  source.addEventListener('error', lost);
}
