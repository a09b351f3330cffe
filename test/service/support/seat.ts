import { AnswerRoom, type Seat } from '../../../src/service/limits/answer-room.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';

/** Creates a seat in a room of its own, for an answer of at most 32 MiB. */
export function aSeat(): Seat {
  return new AnswerRoom({ clock: systemClock, answerBytes: ANSWER_BYTES }).squeeze(
    'team-a',
    new AbortController().signal,
  );
}

/** Four times the largest answer to a write, which a seat without a wait is for. */
const ANSWER_BYTES = 128 * 1024 * 1024;
