import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { useGoBinary } from './go-program.ts';

/** The result of kubeconform for one document of a file. */
export interface Conformity {
  readonly file: string;
  /** Empty if kubeconform found no kind. */
  readonly kind: string;
  /** Empty for an empty document. */
  readonly status: 'statusValid' | 'statusInvalid' | 'statusError' | 'statusSkipped' | 'statusEmpty' | '';
  readonly message: string;
}

/** Makes the real kubeconform check files and folders against the published schemas, and no others. */
export type Kubeconform = (...paths: readonly string[]) => Promise<readonly Conformity[]>;

const SCHEMAS = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'schemas');
/** The layout of catalogues, as docs/reference/schemas.md names it. */
const LAYOUT = '{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json';

/** Gives the test file kubeconform, built once per machine as `useGoBinary` says. */
export function useKubeconform(): Kubeconform {
  const program = useGoBinary('kubeconform');
  return async (...paths) => {
    const words = ['-strict', '-verbose', '-output', 'json', '-schema-location', join(SCHEMAS, LAYOUT)];
    const child = spawn(program(), [...words, ...paths], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (out === '') throw new Error(`kubeconform said nothing but ${err}`);
    const { resources } = JSON.parse(out) as { readonly resources: readonly Told[] };
    return resources.map(({ filename, kind, status, msg = '' }) => ({
      file: filename,
      kind,
      status,
      message: msg,
    }));
  };
}

interface Told {
  readonly filename: string;
  readonly kind: string;
  readonly status: Conformity['status'];
  readonly msg?: string;
}
