/**
 * How urgent something is, for the eye: it is as it should be; it comes further by itself; a person must say so; it is
 * stalled or failed; it is paused, or was not looked at.
 */
export type Tone = 'good' | 'busy' | 'waits' | 'bad' | 'quiet';
