import { metricsOf, type OperatorProcess } from '../../support/worlds/operator-process.ts';

/**
 * Returns the methods of the requests that the API server has refused (403), according to the metrics of the alerts.
 */
export async function refusedMethods(
  processes: readonly Pick<OperatorProcess, 'said'>[],
): Promise<readonly string[]> {
  const texts = await Promise.all(processes.map(metricsOf));
  const series = texts
    .join('\n')
    .matchAll(/^rest_client_requests_total\{(?<labels>[^}]*code="403"[^}]*)\}/gm);
  const methods = [...series].map(({ groups }) => /method="(\w+)"/.exec(groups?.['labels'] ?? '')?.[1]);
  return [...new Set(methods.filter((method) => method !== undefined))];
}
