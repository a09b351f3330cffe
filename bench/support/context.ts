import { type ControlPlane, startControlPlane } from '../../test/support/control-plane/control-plane.ts';
import type { BenchContext } from './benchmark.ts';
import { prepareProgram, type Program } from './program.ts';

/** The context of one benchmark after the other. */
export interface Contexts {
  /** Makes the context of the next benchmark. */
  next(): BenchContext;
  /** Ends what only the last benchmark used. */
  ended(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

/** Makes contexts; the program is built once unless one is given, and nothing is begun before it is asked for. */
export function contexts(
  how: Pick<BenchContext, 'smoke' | 'runs' | 'minutes'>,
  givenProgram: string | undefined,
): Contexts {
  let program: Promise<Program> | undefined;
  let plane: Promise<ControlPlane> | undefined;
  const stopPlane = async (): Promise<void> => {
    await (await plane)?.stop();
    plane = undefined;
  };
  const leavePlane = async (): Promise<void> => {
    if (!how.smoke) await stopPlane();
  };
  return {
    next: () => ({
      ...how,
      progress,
      leavePlane,
      plane: () => {
        if (plane === undefined) progress('starting kube-apiserver and etcd (built once per machine)');
        return (plane ??= startControlPlane());
      },
      program: () => {
        if (program === undefined && givenProgram === undefined) progress('building the bundle');
        return (program ??= prepareProgram(givenProgram));
      },
    }),
    ended: leavePlane,
    async close() {
      await stopPlane();
      await (await program)?.remove();
    },
  };
}

/** Prints the current step on standard error, so that the terminal is not silent. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
