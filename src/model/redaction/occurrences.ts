/** A range in a text, from the first offset up to but not including the second. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A counter for the steps of a search, so that a test can compare it with the length of the text. */
export interface Steps {
  count: number;
}

/** A state of the automaton: a prefix of patterns. */
interface State {
  readonly next: Map<number, State>;
  /** The length of this prefix. */
  readonly depth: number;
  /** The length of the longest pattern that ends here, also as the suffix of a longer prefix. */
  longest: number;
  /** The state of the longest suffix of this prefix that is also a prefix. */
  fail: State | undefined;
}

/**
 * Finds every place where one of `patterns` ends in `text`, with the longest pattern that ends there. Before an offset
 * in `cuts`, also finds the longest prefix of a pattern with at least `shortest` characters. The number of steps grows
 * with the length of the text and of all patterns together, whatever their contents are (Aho and Corasick, 1975).
 */
export function occurrences(
  text: string,
  patterns: Iterable<string>,
  steps: Steps,
  { cuts, shortest }: Cuts = NO_CUTS,
): readonly Range[] {
  const root = automatonOf(patterns, steps);
  const found: Range[] = [];
  let state = root;
  for (let at = 0; at < text.length; at += 1) {
    state = follow(root, state, text.charCodeAt(at), steps);
    const to = at + 1;
    if (state.longest > 0) found.push({ from: to - state.longest, to });
    if (state.depth >= shortest && cuts.has(to)) found.push({ from: to - state.depth, to });
  }
  return found;
}

/** Places where a text may have been cut within a pattern. */
export interface Cuts {
  readonly cuts: ReadonlySet<number>;
  /** The shortest prefix of a pattern that counts there. */
  readonly shortest: number;
}

const NO_CUTS: Cuts = { cuts: new Set(), shortest: 1 };

function automatonOf(patterns: Iterable<string>, steps: Steps): State {
  const root = newState(0);
  for (const pattern of patterns) {
    let state = root;
    for (let at = 0; at < pattern.length; at += 1) {
      steps.count += 1;
      const unit = pattern.charCodeAt(at);
      const next = state.next.get(unit) ?? newState(at + 1);
      state.next.set(unit, next);
      state = next;
    }
    state.longest = pattern.length;
  }
  const queue: State[] = [...root.next.values()];
  for (const child of queue) child.fail = root;
  for (const state of queue) {
    for (const [unit, child] of state.next) {
      child.fail = follow(root, state.fail ?? root, unit, steps);
      child.longest = Math.max(child.longest, child.fail.longest);
      queue.push(child);
    }
  }
  return root;
}

function follow(root: State, from: State, unit: number, steps: Steps): State {
  let state: State | undefined = from;
  while (state !== undefined) {
    steps.count += 1;
    const next = state.next.get(unit);
    if (next !== undefined) return next;
    state = state.fail;
  }
  return root;
}

function newState(depth: number): State {
  return { next: new Map(), depth, longest: 0, fail: undefined };
}

/** Sorts ranges, and joins those that overlap or touch. */
export function merged(ranges: readonly Range[]): readonly Range[] {
  const apart: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || range.from > last.to) apart.push(range);
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return apart;
}
