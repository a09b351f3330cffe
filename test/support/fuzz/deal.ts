/**
 * The number of random inputs for each reader in `npm test`, under its file in `targets`. Most inputs go to readers
 * of text that strangers write: answers of the service, lines of a watch, manifests, the state file and kubeconfigs.
 */
export const DEAL = {
  service: {
    'service-page': 22_000,
    'service-inventory': 6_000,
    'service-error': 9_000,
    'service-headers': 4_000,
  },
  watch: { 'watch-lines': 16_000 },
  'api-server': { 'api-object': 4_000, 'api-status': 3_000, 'api-secret-and-lease': 3_000 },
  kubeconfig: { kubeconfig: 8_000 },
  manifests: { manifests: 7_000, yaml: 4_000 },
  state: { 'state-file': 8_000, 'state-journal': 2_000, 'state-lock': 1_000 },
  words: {
    settings: 600,
    addresses: 3_000,
    'texts-for-people': 2_000,
    certificates: 1_000,
    'simulator-seed': 1_000,
  },
  decisions: { decision: 2_000, 'list-that-decides': 60 },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A file of targets. */
export type Part = keyof typeof DEAL;

/** A reader and the number of its inputs. */
export interface Hand {
  readonly part: Part;
  readonly file: string;
  readonly target: string;
  readonly cases: number;
}

/** Every reader with its number of inputs. */
export const HANDS: readonly Hand[] = Object.entries(DEAL).flatMap(([part, targets]) =>
  Object.entries(targets).map(([target, cases]) => ({
    part: part as Part,
    file: `targets/${part}.ts`,
    target,
    cases,
  })),
);
