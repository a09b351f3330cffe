/** What /metrics says without the metrics of prom-client, which follow rules of their own. */
export function ofOurs(exposition: string): string {
  return exposition.replaceAll(/^(?:# \w+ )?(?:process|nodejs)_.*\n/gm, '');
}
