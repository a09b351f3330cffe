import { signal } from '@preact/signals';
import type { ChangedEvent } from '../../../views/screens/console-messages.ts';

/** When the console was last heard, and whether it is heard now. */
export interface Line {
  readonly heard: boolean;
  readonly lastMs: number;
}

/** The line to the console. */
export const line = signal<Line>({ heard: true, lastMs: Date.now() });

const AGAIN_MS = 1000;
/** The console says something every ten seconds, even when nothing changes. */
const SILENT_MS = 25_000;

/** Listens for changes as long as the page is open, and connects again whenever the line is lost. */
export function listen(changed: (event: ChangedEvent | undefined) => void): void {
  let source: EventSource | undefined;
  const heard = (): void => {
    line.value = { heard: true, lastMs: Date.now() };
  };
  const lost = (): void => {
    source?.close();
    source = undefined;
    line.value = { ...line.value, heard: false };
    setTimeout(connect, AGAIN_MS);
  };
  const connect = (): void => {
    source = new EventSource('/api/stream');
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
  };
  connect();
  setInterval(() => {
    if (source !== undefined && Date.now() - line.value.lastMs > SILENT_MS) lost();
  }, AGAIN_MS);
}
