/**
 * Writes what is generated of the Helm chart: the templates from manifests/install and crds, Chart.yaml from package.json,
 * and the page about the values from values.yaml.
 * With --check nothing is written; the exit code is 1 when a file is not what it would be.
 */
import packageFile from '../package.json' with { type: 'json' };
import { edited } from './chart/edits.ts';
import { type Template, TEMPLATES } from './chart/templates.ts';
import { valuesTable } from './chart/values-page.ts';
import { settleFiles, textOf } from './generated-files.ts';

const CHART = 'manifests/chart';
const CRDS = ['clusterconnections', 'connections', 'deployments'];

function generatedFrom(source: string): string {
  return `{{- /* Generated from ${source} by \`npm run generate\`. */ -}}\n`;
}

function wrapped(source: string, when: string | undefined, text: string): string {
  const rendered = when === undefined ? text : `{{- if ${when} }}\n${text}{{- end }}\n`;
  return `${generatedFrom(source)}${rendered}`;
}

async function template({ file, when, edits }: Template): Promise<readonly [string, string]> {
  const source = `manifests/install/${file}`;
  // What stands at the head speaks of the folder that it was written for.
  const manifest = (await textOf(source)).replace(/^(?:#.*\n)+/, '');
  return [`${CHART}/templates/${file}`, wrapped(source, when, edited(manifest, edits))];
}

/** In templates, since Helm never upgrades what is in its folder for CRDs; kept, since resources go with their CRD. */
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

function chartFile(): string {
  const { version, description } = packageFile;
  return `# Generated from package.json by \`npm run generate\`.
apiVersion: v2
name: dms-operator
description: ${description}
type: application
version: ${version}
appVersion: ${version}
kubeVersion: '>=1.31.0-0'
`;
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
  [`${CHART}/Chart.yaml`, chartFile()],
  [`${CHART}/README.md`, await page()],
  ...(await Promise.all(CRDS.map(crdTemplate))),
  ...(await Promise.all(TEMPLATES.map(template))),
]);
