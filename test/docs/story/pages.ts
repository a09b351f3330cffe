/** Pages whose story needs no cluster. */
export const ALONE: readonly string[] = ['docs/guides/adopting-deployments.md', 'docs/guides/proxy.md'];

/** The page that begins with an empty cluster. */
export const FIRST = 'docs/getting-started.md';

/** Pages that go on in the cluster that the first one leaves behind. */
export const THEN: readonly string[] = [
  'docs/guides/approvals.md',
  'docs/guides/drift.md',
  'docs/guides/multi-tenant-connections.md',
  'docs/guides/secrets-and-rotation.md',
];

/** The page for readers who are in trouble. */
export const IN_TROUBLE = 'docs/guides/troubleshooting.md';

/** The page that goes on in a cluster that has the definitions of the Prometheus operator. */
export const MONITORING = 'docs/guides/monitoring.md';

/** The page about the console, which a reader may try on any folder. */
export const CONSOLE = 'docs/guides/console.md';

/** The page that begins with a cluster of its own, in which nothing of ours is. */
export const INSTALLING = 'docs/guides/installing.md';
