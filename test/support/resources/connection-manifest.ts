/**
 * Returns a Connection `default` to a service at this address, with short intervals and further members of its spec.
 */
export function connectionManifest(url: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Connection',
    metadata: { name: 'default' },
    spec: {
      baseURL: url,
      rateLimit: { requestsPerSecond: 100, burst: 200, concurrency: 20 },
      poll: { intervalSeconds: 1, rolloutSeconds: 1 },
      ...more,
    },
  });
}
