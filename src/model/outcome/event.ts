import { textForPeople } from '../../base/text-for-people.ts';

/** A message for people about something that happened. */
export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: 'Bind' | 'Observe' | 'Patch' | 'Create' | 'Delete';
  /** The text, at most 1 KiB, without secrets. */
  readonly message: string;
}

/** Returns an event about something that happened as expected. */
export function normal(reason: string, action: Event['action'], message: string): Event {
  return { type: 'Normal', reason, action, message: textForPeople(message) };
}

/** Returns an event about something that people should look at. */
export function warning(reason: string, action: Event['action'], message: string): Event {
  return { type: 'Warning', reason, action, message: textForPeople(message) };
}
