/** Values by the name of the switch they belong to. */
export type Factors = Readonly<Record<string, readonly string[]>>;

/** One value for each switch. */
export type Combination<F extends Factors> = { readonly [K in keyof F]: F[K][number] };

interface Choice {
  readonly factor: string;
  readonly value: string;
}

/**
 * Returns combinations that together contain every pair of values of two different factors at least once. The same
 * table gives the same combinations. Greedy, so a few more than the minimum.
 */
export function allPairs<F extends Factors>(factors: F): readonly Combination<F>[] {
  const names = Object.keys(factors);
  const open = openPairs(factors, names);
  const rows: Combination<F>[] = [];
  for (let first = nextOf(open); first !== undefined; first = nextOf(open)) {
    const chosen: Choice[] = [...first];
    for (const factor of names) {
      if (chosen.some((choice) => choice.factor === factor)) continue;
      chosen.push({ factor, value: bestValue(factor, factors[factor] ?? [], chosen, open, rows.length) });
    }
    for (const pair of pairsOf(chosen)) open.delete(pairText(pair));
    rows.push(Object.fromEntries(chosen.map(({ factor, value }) => [factor, value])) as Combination<F>);
  }
  return rows;
}

type Pair = readonly [Choice, Choice];

function openPairs(factors: Factors, names: readonly string[]): Map<string, Pair> {
  const open = new Map<string, Pair>();
  for (const [at, factor] of names.entries()) {
    for (const value of factors[factor] ?? []) {
      for (const other of names.slice(at + 1)) {
        for (const with_ of factors[other] ?? []) {
          const pair: Pair = [
            { factor, value },
            { factor: other, value: with_ },
          ];
          open.set(pairText(pair), pair);
        }
      }
    }
  }
  return open;
}

function nextOf(open: ReadonlyMap<string, Pair>): Pair | undefined {
  return open.values().next().value;
}

/** Returns the value that closes most pairs. Equal values take turns, so that rows differ. */
function bestValue(
  factor: string,
  values: readonly string[],
  chosen: readonly Choice[],
  open: ReadonlyMap<string, Pair>,
  turn: number,
): string {
  const rotated = [...values.slice(turn % values.length), ...values.slice(0, turn % values.length)];
  const closes = (value: string): number =>
    chosen.filter((choice) => open.has(pairText([choice, { factor, value }]))).length;
  const [best] = rotated.toSorted((a, b) => closes(b) - closes(a));
  if (best === undefined) throw new Error(`${factor} has no values`);
  return best;
}

function pairsOf(choices: readonly Choice[]): readonly Pair[] {
  return choices.flatMap((first, at) => choices.slice(at + 1).map((second): Pair => [first, second]));
}

/** Returns the same text for both orders of a pair. */
function pairText(pair: Pair): string {
  return pair
    .map(({ factor, value }) => `${factor}=${value}`)
    .toSorted()
    .join(' ');
}
