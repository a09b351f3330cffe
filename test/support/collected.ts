/** Everything an asynchronous sequence gives, once it has ended. */
export async function collected<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of sequence) all.push(one);
  return all;
}
