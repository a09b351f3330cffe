/** Returns all items of an asynchronous sequence, after its end. */
export async function collected<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of sequence) all.push(one);
  return all;
}
