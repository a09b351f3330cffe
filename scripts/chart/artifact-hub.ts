import { parse, parseAllDocuments, stringify } from 'yaml';

/** The parts from which the annotations of a chart are made. */
export interface ChartParts {
  readonly version: string;
  readonly license: string;
  /** The image of the workload without any values. */
  readonly image: string;
  readonly crds: readonly string[];
  /** Manifests with a resource of each kind. */
  readonly examples: readonly string[];
  /** The section of the changelog for the version. */
  readonly changes: string;
}

/** Returns the annotations of Chart.yaml that Artifact Hub reads, and shows beside the page of a chart. */
export function artifactHubAnnotations(parts: ChartParts): Readonly<Record<string, string>> {
  const { version, license, image, crds, examples, changes } = parts;
  const cards = crds.map(cardOf);
  const kinds = cards.map(({ kind }) => kind);
  const resources = examples
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Resource))
    .filter(({ apiVersion, kind }) => apiVersion.startsWith('dms-operator.dev/') && kinds.includes(kind));
  const yaml = (value: unknown): string => stringify(value, { lineWidth: 0 });
  return {
    'artifacthub.io/changes': yaml(changesIn(changes)),
    'artifacthub.io/crds': yaml(cards),
    'artifacthub.io/crdsExamples': yaml(resources),
    'artifacthub.io/images': yaml([{ name: 'dms-operator', image }]),
    'artifacthub.io/license': license,
    'artifacthub.io/operator': 'true',
    'artifacthub.io/prerelease': String(version.includes('-')),
  };
}

/** One change, as Artifact Hub lists it. */
export interface ChartChange {
  readonly kind: string;
  readonly description: string;
}

/** Headings of a changelog that are kinds of changes at Artifact Hub, too. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/** Returns the first sentence of every entry under a heading of KINDS, as plain text. Leaves out the headings of themes. */
export function changesIn(section: string): readonly ChartChange[] {
  const parts = section.split(/^### /mu).slice(1);
  return parts.flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    if (!KINDS.includes(heading)) return [];
    const text = lines.filter((line) => !line.startsWith('#### ')).join('\n');
    const entries = text.split(/^- /mu).slice(1);
    return entries.map((entry) => ({ kind: heading.toLowerCase(), description: firstSentence(entry) }));
  });
}

function firstSentence(markdown: string): string {
  const text = markdown.replaceAll(/\s+/gu, ' ').trim();
  const [sentence] = /^.*?\.(?= [A-Z`[]|$)/u.exec(text) ?? [text];
  return sentence.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1').replaceAll(/\*\*|`/gu, '');
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The parts of a CRD that the annotations use. */
export interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly [
      {
        readonly name: string;
        readonly schema: { readonly openAPIV3Schema: { readonly description: string } };
      },
    ];
  };
}

function cardOf(text: string) {
  const { metadata, spec } = parse(text) as Crd;
  const { kind } = spec.names;
  const [{ name: version, schema }] = spec.versions;
  const { description } = schema.openAPIV3Schema;
  return { kind, version, name: metadata.name, displayName: kind, description };
}
