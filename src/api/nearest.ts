/**
 * The name that was probably meant: equal but for case, `_` and `-`, or at most two slips of typing away. Undefined
 * where nothing is close.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = plain(given);
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(wanted.length / 2));
  const { length } = Array.from(wanted);
  for (const name of names) {
    const candidate = plain(name);
    // It takes a slip at least for each character more or less.
    if (Math.abs(candidate.length - length) >= bestDistance) continue;
    const distance = slips(wanted, candidate);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function plain(name: string): string {
  return name.slice(0, 100).toLowerCase().replaceAll(/[_-]/g, '');
}

/** Number of characters to insert, remove or replace, or of neighbours to swap. */
function slips(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  const characters = Array.from(from);
  for (const [i, character] of characters.entries()) {
    const [before = [], last = []] = [rows[i - 1], rows[i]];
    const row = [i + 1];
    for (let j = 1; j <= to.length; j += 1) {
      const same = to[j - 1] === character ? 0 : 1;
      const swapped = to[j - 2] === character && to[j - 1] === characters[i - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + same,
          swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.[to.length] ?? 0;
}
