import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connections.ts';
import type { AnswerFault } from './fault.ts';

const NEW_LINE = 0x0a;
/** A byte that no JSON text may contain anywhere. */
const NEVER_IN_JSON = 0x00;

/** The parts of an answer, and the callback of a fault. */
export interface AnswerParts {
  readonly upstream: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection | undefined;
  readonly struck: (fault: AnswerFault) => void;
}

/** An answer on its way from the API server to the client, in which faults may occur. */
export class Answer {
  readonly #parts: AnswerParts;
  #waiting: AnswerFault[] = [];
  #lines = 0;
  #over = false;
  #drip: { readonly everyMs: number; readonly bytes: number } | undefined;
  /** The last passing of bytes. Bytes are passed on one after the other. */
  #passing: Promise<void> = Promise.resolve();

  constructor(parts: AnswerParts, faults: readonly AnswerFault[]) {
    this.#parts = parts;
    const { upstream, response } = parts;
    for (const fault of faults) this.strike(fault);
    upstream.on('data', (bytes: Buffer) => {
      // Pieces are passed on one by one: a dripped or paused piece delays the next ones.
      upstream.pause();
      this.#passing = this.#pass(bytes).finally(() => upstream.resume());
    });
    upstream.once('end', () => void this.#passing.then(() => this.#over || response.end()));
    upstream.once('error', () => this.#over || response.destroy());
  }

  /** Causes a fault when its moment comes. */
  strike(fault: AnswerFault): void {
    const { afterMs = 0, ...rest } = fault;
    if (afterMs > 0) {
      const timer = setTimeout(() => this.strike(rest), afterMs);
      this.#parts.response.once('close', () => clearTimeout(timer));
      return;
    }
    const { afterLines = 0 } = fault;
    this.#waiting.push({ ...rest, afterLines: this.#lines + afterLines });
    this.#strikeWhatNeedsNoBytes();
  }

  /** Ends a drip. A dripped watch with a backlog would still show old lines minutes later. */
  hasten(): void {
    this.#drip = undefined;
  }

  async #pass(bytes: Buffer): Promise<void> {
    let rest = bytes;
    while (rest.length > 0 && !this.#over) {
      const end = rest.indexOf(NEW_LINE) + 1;
      const piece = end === 0 ? rest : rest.subarray(0, end);
      rest = rest.subarray(piece.length);
      const fault = this.#takeDue();
      await (fault === undefined ? this.#write(piece) : this.#strikeOn(piece, fault));
      if (end > 0) this.#lines += 1;
      this.#strikeWhatNeedsNoBytes();
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    const { response } = this.#parts;
    const size = this.#drip?.bytes ?? bytes.length;
    for (let at = 0; at < bytes.length && !this.#over && !response.closed; at += size) {
      response.write(bytes.subarray(at, at + size));
      if (this.#drip !== undefined) await waited(this.#drip.everyMs);
    }
  }

  #takeDue(): AnswerFault | undefined {
    const at = this.#waiting.findIndex(({ afterLines = 0 }) => afterLines <= this.#lines);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  /** Causes a fault that needs bytes to break. */
  async #strikeOn(piece: Buffer, fault: AnswerFault): Promise<void> {
    const { response, struck } = this.#parts;
    const half = piece.subarray(0, Math.ceil(piece.length / 2));
    struck(fault);
    switch (fault.kind) {
      case 'cut-mid-line':
        response.write(half);
        return this.#cut();
      case 'corrupt': {
        const broken = Buffer.from(piece);
        broken[Math.floor(piece.length / 2)] = NEVER_IN_JSON;
        return this.#write(broken);
      }
      case 'truncated-chunk':
        this.#over = true;
        if (response.chunkedEncoding) response.socket?.write(`${(piece.length + 1).toString(16)}\r\n`);
        response.socket?.end(half);
        return;
      case 'pause':
        await waited(fault.ms);
        return this.#write(piece);
      case 'cut':
      case 'silence':
      case 'error-event':
      case 'drip':
      case 'close':
        throw new Error(`${fault.kind} waits for nothing`);
    }
  }

  #strikeWhatNeedsNoBytes(): void {
    // A finished answer can no longer be broken.
    if (this.#parts.response.writableEnded) return;
    const due = this.#waiting.filter(
      (fault) => !NEEDS_BYTES.has(fault.kind) && (fault.afterLines ?? 0) <= this.#lines,
    );
    this.#waiting = this.#waiting.filter((fault) => !due.includes(fault));
    for (const fault of due) {
      // If two faults end an answer at the same moment, only the first one takes effect.
      if (this.#parts.response.writableEnded) return;
      this.#parts.struck(fault);
      this.#strikeNow(fault);
    }
  }

  #strikeNow(fault: AnswerFault): void {
    const { response } = this.#parts;
    if (fault.kind === 'drip') this.#drip = { everyMs: fault.everyMs, bytes: fault.bytes ?? 1 };
    else if (fault.kind === 'cut') this.#cut();
    else {
      this.#over = true;
      if (fault.kind === 'error-event') response.end(errorEvent(fault.code));
      // An answer with an announced length can end early only together with its connection.
      if (fault.kind === 'close') void (response.chunkedEncoding ? response.end() : response.socket?.end());
    }
  }

  #cut(): void {
    const { response, connection } = this.#parts;
    this.#over = true;
    connection?.resetAtEnd();
    // The written bytes are sent first, because a socket that is destroyed at once may drop them.
    response.socket?.write('', () => response.socket?.destroy());
  }
}

const NEEDS_BYTES: ReadonlySet<AnswerFault['kind']> = new Set<AnswerFault['kind']>([
  'cut-mid-line',
  'corrupt',
  'truncated-chunk',
  'pause',
]);

function errorEvent(code: number): string {
  const reason = code === 410 ? 'Expired' : 'InternalError';
  const object = { kind: 'Status', apiVersion: 'v1', code, reason, message: 'the fault proxy says so' };
  return `${JSON.stringify({ type: 'ERROR', object })}\n`;
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
