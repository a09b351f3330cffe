import type { Key } from '../../api/metadata.ts';
import type { WriteGate } from '../../ports/service/write-gate.ts';
import type { PassResult } from '../../runtime/controller/run-pass.ts';

/** Somebody who looks on while an operator works, with a say in what it sends. */
export interface Oversight {
  readonly gate: WriteGate;
  /** See `Situation`. */
  readonly holdUnprovenSecrets: boolean;
  /** False where what is declared is read once, so that no rotation can follow another. */
  readonly waitsForRotations: boolean;
  /** True where what is sent next has to rest on a look of its own, begun with its pass. */
  readonly looksBeforeWriting: () => boolean;
  /** Called with the end of each pass, over connections as well. */
  readonly onPass: (key: Key, result: PassResult) => void;
}
