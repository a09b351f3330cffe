/**
 * Returns the name that was probably meant: equal except for case, `_` and `-`, or at most two typing errors away.
 * Returns undefined if no name is close.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = plain(given);
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(wanted.length / 2));
  for (const name of names) {
    const distance = slips(wanted, plain(name), bestDistance);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

const LONGEST = 100;

function plain(name: string): readonly string[] {
  return Array.from(name.slice(0, LONGEST).toLowerCase().replaceAll(/[_-]/g, ''));
}

/**
 * Returns the number of characters to insert, remove or replace, or of neighbours to swap. Returns `limit` if the
 * number is that large or larger.
 */
function slips(from: readonly string[], to: readonly string[], limit: number): number {
  // Each difference in length needs at least one edit.
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let leastBefore = 0;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of from.entries()) {
    const row: number[] = [i + 1];
    let least = i + 1;
    // Cells farther from the diagonal need at least as many edits as the limit.
    const end = Math.min(to.length, i + limit);
    for (let j = Math.max(1, i + 2 - limit); j <= end; j += 1) {
      const same = to[j - 1] === character ? 0 : 1;
      const swapped = to[j - 2] === character && to[j - 1] === from[i - 1];
      const fewest = Math.min(
        (last[j] ?? limit) + 1,
        (row[j - 1] ?? limit) + 1,
        (last[j - 1] ?? limit) + same,
        swapped ? (before[j - 2] ?? limit) + 1 : limit,
      );
      row[j] = fewest;
      least = Math.min(least, fewest);
    }
    // A swap of two neighbours continues from two rows above.
    if (Math.min(least, leastBefore) >= limit) return limit;
    leastBefore = least;
    [before, last] = [last, row];
  }
  return last[to.length] ?? limit;
}
