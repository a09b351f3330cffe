/** Everything that a person may have done about one resource. */
export type ActionName = 'approve' | 'pause' | 'resume' | 'reconcile' | 'redeploy';

/** An action as a screen offers it. */
export interface ScreenAction {
  readonly action: ActionName;
  /** Whether it makes sense and may be asked for. */
  readonly allowed: boolean;
  /** Why not, where it is not allowed. */
  readonly why?: string;
  /** The exact change of the annotation, as a patch in YAML; of a folder, what is written into which file. */
  readonly shows: string;
  /** The command that does the same. */
  readonly command: string;
}
