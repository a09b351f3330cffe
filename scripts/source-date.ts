/** The moment that SOURCE_DATE_EPOCH names, in seconds, for what shall be the same whenever it is built. */
export function sourceDate(environment: Readonly<Record<string, string | undefined>>): Date | undefined {
  const text = environment['SOURCE_DATE_EPOCH'] ?? '';
  if (text === '') return undefined;
  if (!/^\d{1,11}$/u.test(text)) throw new Error(`SOURCE_DATE_EPOCH is no number of seconds: ${text}`);
  return new Date(Number(text) * 1000);
}
