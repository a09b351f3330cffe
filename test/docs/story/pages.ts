/** Pages whose steps need no cluster. */
export const ALONE: readonly string[] = ['docs/guides/adopting-deployments.md', 'docs/guides/proxy.md'];

/** The page that begins with an empty cluster. */
export const FIRST = 'docs/getting-started.md';

/** Pages that continue in the cluster of the first page. */
export const THEN: readonly string[] = [
  'docs/guides/approvals.md',
  'docs/guides/drift.md',
  'docs/guides/multi-tenant-connections.md',
  'docs/guides/secrets-and-rotation.md',
];

/** The troubleshooting page. */
export const IN_TROUBLE = 'docs/guides/troubleshooting.md';

/** The page that continues in a cluster with the definitions of the Prometheus operator. */
export const MONITORING = 'docs/guides/monitoring.md';

/** The page about the console, which works on any folder. */
export const CONSOLE = 'docs/guides/console.md';

/** The page that begins with a cluster of its own, without our objects. */
export const INSTALLING = 'docs/guides/installing.md';
