/**
 * Writes manifests/gitops/argocd-cm.yaml from the Lua files beside it, in the form that Argo CD reads. With --check
 * it writes nothing, and the exit code is 1 if the file is not current.
 */
import { stringify } from 'yaml';
import { settleFiles, textOf } from './generated-files.ts';

const folder = 'manifests/gitops';
const GROUP = 'dms-operator.dev';
const KINDS = ['Deployment', 'Connection', 'ClusterConnection'];
const ACTIONS = ['reconcile', 'approve', 'pause', 'resume'];
const HEAD = `# Generated from argocd-health.lua and argocd-actions by \`npm run generate\`. Adds to the settings of Argo CD what it
# needs to know about our kinds, and leaves everything else there as it is:
#   kubectl apply --server-side --field-manager=dms-operator -n argocd -f argocd-cm.yaml
`;

function lua(file: string): Promise<string> {
  return textOf(`${folder}/${file}`);
}

/** The value of resource.customizations.actions.*, which is YAML in a text. */
async function actions(): Promise<string> {
  const definitions = ACTIONS.map(async (name) => ({
    name,
    'action.lua': await lua(`argocd-actions/${name}.lua`),
  }));
  return stringify(
    {
      'discovery.lua': await lua('argocd-actions/discovery.lua'),
      definitions: await Promise.all(definitions),
    },
    { lineWidth: 0 },
  );
}

async function configMap(): Promise<string> {
  const health = await lua('argocd-health.lua');
  const document = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: {
      ...Object.fromEntries(KINDS.map((kind) => [`resource.customizations.health.${GROUP}_${kind}`, health])),
      [`resource.customizations.actions.${GROUP}_Deployment`]: await actions(),
    },
  };
  return HEAD + stringify(document, { lineWidth: 0 });
}

await settleFiles([[`${folder}/argocd-cm.yaml`, await configMap()]]);
