import { textOf } from '../support.ts';

/** Returns the manifests of our kinds on a page. */
export function manifestsOn(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^```yaml\n(?<yaml>[^]*?)^```$/gm)];
  const texts = blocks.map((block) => block.groups?.['yaml'] ?? '');
  return texts.filter((text) => text.includes('apiVersion: dms-operator.dev/'));
}
