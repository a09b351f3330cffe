import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: { readonly secrets?: readonly { readonly value?: string }[] };
}

/** Returns the secret values in a text of manifests: of Secrets, and those written into a Deployment. */
export function secretsOf(text: string): readonly string[] {
  return parseAllDocuments(text).flatMap((document) => {
    const { kind, data = {}, stringData = {}, spec }: Manifest = document.toJS() ?? {};
    const inline = (spec?.secrets ?? []).flatMap(({ value }) => (value === undefined ? [] : [value]));
    if (kind !== 'Secret') return inline;
    const decoded = Object.values(data).map((value) => Buffer.from(value, 'base64').toString());
    return [...inline, ...decoded, ...Object.values(stringData)];
  });
}
