import { CRD_DOCUMENTS } from '../../api/generated/crd-documents.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints the CustomResourceDefinitions as one YAML stream. */
export function crdsCommand({ out }: Terminal): ExitCode {
  out(CRD_DOCUMENTS.map(({ text }) => `${text.trimEnd()}\n`).join('---\n'));
  return EXIT.ok;
}
