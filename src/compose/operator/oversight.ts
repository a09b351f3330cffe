import type { Key } from '../../api/metadata.ts';
import type { WriteGate } from '../../ports/service/write-gate.ts';
import type { PassResult } from '../../runtime/controller/run-pass.ts';

/** Observes a running operator, and decides which writes it may send. */
export interface Oversight {
  readonly gate: WriteGate;
  /** See `Situation`. */
  readonly holdUnprovenSecrets: boolean;
  /** False if declarations are read once, so that no rotation can follow another. */
  readonly waitsForRotations: boolean;
  /** Returns true if the next write needs a read of its own that began with its pass. */
  readonly looksBeforeWriting: () => boolean;
  /** Called with the result of each pass, also of passes over connections. */
  readonly onPass: (key: Key, result: PassResult) => void;
}
