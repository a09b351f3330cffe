/** A message for people about something that happened. */
export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: 'Bind' | 'Observe' | 'Patch' | 'Create' | 'Delete';
  /** At most 1 KiB, without secrets. */
  readonly message: string;
}
