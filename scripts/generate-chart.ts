/**
 * Writes the generated files of the Helm chart: the templates from manifests/install and crds, Chart.yaml from
 * package.json, CRDs, examples and CHANGELOG.md, and the page about the values from values.yaml. With --check it
 * writes nothing, and the exit code is 1 if a file is not current.
 */
import { stringify } from 'yaml';
import packageFile from '../package.json' with { type: 'json' };
import { artifactHubAnnotations } from './chart/artifact-hub.ts';
import { edited } from './chart/edits.ts';
import { type Template, TEMPLATES } from './chart/templates.ts';
import { valuesTable } from './chart/values-page.ts';
import { settleFiles, textOf } from './generated-files.ts';
import { changesOf } from './release/notes.ts';

const CHART = 'manifests/chart';
const CRDS = ['clusterconnections', 'connections', 'deployments'];
/** The examples of our kinds for Artifact Hub. */
const EXAMPLES = ['external-container', 'connection-api-key', 'cluster-connection'];

function generatedFrom(source: string): string {
  return `{{- /* Generated from ${source} by \`npm run generate\`. */ -}}\n`;
}

function wrapped(source: string, when: string | undefined, text: string): string {
  const rendered = when === undefined ? text : `{{- if ${when} }}\n${text}{{- end }}\n`;
  return `${generatedFrom(source)}${rendered}`;
}

async function template({ file, when, edits }: Template): Promise<readonly [string, string]> {
  const source = `manifests/install/${file}`;
  // The comment at the head describes the folder of the original manifest.
  const manifest = (await textOf(source)).replace(/^(?:#.*\n)+/, '');
  return [`${CHART}/templates/${file}`, wrapped(source, when, edited(manifest, edits))];
}

/**
 * Makes a template of a CRD, since Helm never upgrades its folder for CRDs. Helm keeps the CRD when the release is
 * uninstalled, since its resources would be deleted with it.
 */
async function crdTemplate(name: string): Promise<readonly [string, string]> {
  const source = `crds/${name}.yaml`;
  const text = await textOf(source);
  if (text.includes('{{')) throw new Error(`${source} would be read as a template`);
  const kept = edited(text, [
    {
      find: /^metadata:\n {2}name: .*\n/m,
      put: (head) => `${head}  annotations:\n    helm.sh/resource-policy: keep\n`,
    },
  ]);
  return [`${CHART}/templates/crd-${name}.yaml`, wrapped(source, '.Values.crds.install', kept)];
}

async function chartFile(): Promise<string> {
  const { version, description, license } = packageFile;
  const chart = {
    apiVersion: 'v2',
    name: 'dms-operator',
    description,
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.31.0-0',
    annotations: artifactHubAnnotations({
      version,
      license,
      image: `dms-operator:${version}`,
      crds: await Promise.all(CRDS.map((name) => textOf(`crds/${name}.yaml`))),
      examples: await Promise.all(EXAMPLES.map((name) => textOf(`manifests/examples/${name}.yaml`))),
      changes: changesOf(await textOf('CHANGELOG.md'), version),
    }),
  };
  const from = 'package.json, crds, manifests/examples and CHANGELOG.md';
  return `# Generated from ${from} by \`npm run generate\`.\n${stringify(chart, { lineWidth: 0 })}`;
}

async function page(): Promise<string> {
  return `<!-- The table is generated from values.yaml by \`npm run generate\`. -->

# dms-operator

The controller with its CRDs and roles: the objects of [manifests/install](../install), from which the templates are
generated. How to install, upgrade and uninstall: [docs/guides/installing.md](../../docs/guides/installing.md).

## Values

${valuesTable(await textOf(`${CHART}/values.yaml`))}
`;
}

await settleFiles([
  [`${CHART}/Chart.yaml`, await chartFile()],
  [`${CHART}/README.md`, await page()],
  ...(await Promise.all(CRDS.map(crdTemplate))),
  ...(await Promise.all(TEMPLATES.map(template))),
]);
