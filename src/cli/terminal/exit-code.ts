/** The exit codes of the program. Scripts depend on them. */
export const EXIT = {
  /** Done, or stopped as asked. */
  ok: 0,
  /** Something is wrong; the last line says what. */
  failed: 1,
  /** `plan`: nothing is wrong, and something would change. */
  changes: 2,
  /** Not at its end yet: time was over, or a person has to approve something. */
  unfinished: 3,
  /** The command line cannot be meant. */
  usage: 64,
  /** Stopped by Ctrl-C before the end. */
  interrupted: 130,
  /** Stopped by SIGTERM before the end. */
  terminated: 143,
} as const;

/** One of the codes that the program ends with. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
