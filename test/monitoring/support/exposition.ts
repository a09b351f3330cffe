/** Returns the output of /metrics without the metrics of prom-client, which follow other rules. */
export function ofOurs(exposition: string): string {
  return exposition.replaceAll(/^(?:# \w+ )?(?:process|nodejs)_.*\n/gm, '');
}
