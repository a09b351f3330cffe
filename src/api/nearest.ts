/**
 * The name that was probably meant: equal but for case, `_` and `-`, or at most two typing slips away. Undefined
 * where nothing is close.
 */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = plain(given);
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(wanted.length / 2));
  for (const name of names) {
    const distance = slips(wanted, plain(name));
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

/** Number of characters to insert, remove or replace. */
function slips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j += 1) {
      const same = to[j - 1] === character ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
