import { defined } from '../../base/defined.ts';
import { DEPLOYMENT_KIND } from '../../api/deployment.ts';
import { DOCUMENTS, kindSchemaPath } from '../../api/kind-schema-path.ts';
import type { Adopted, SecretSkeleton } from '../../views/manifests/adopted.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { renderYaml, yamlStream } from './render-yaml.ts';

/** The longest name from the service that a comment repeats, in bytes. */
const NAME_BYTES = 120;

/** Makes editors with yaml-language-server complete and check the document below it. */
const SCHEMA_LINE = `yaml-language-server: $schema=${DOCUMENTS}${kindSchemaPath(DEPLOYMENT_KIND)}`;

/**
 * Returns the manifest of a deployment as text: first the skeleton of its Secret, if it has one, and comments about
 * shown values that it leaves out. Its input contains no value of a secret.
 */
export function renderManifest(adopted: Adopted): string {
  const { document, skeleton } = adopted;
  const below = { path: ['spec'], lines: commentsOn(adopted) };
  const manifest = renderYaml(document, { before: [SCHEMA_LINE], below });
  return yamlStream([...(skeleton === undefined ? [] : [skeletonText(skeleton, adopted)]), manifest]);
}

function commentsOn({ secretNames, leftOut }: Adopted): readonly string[] {
  const secrets = secretNames.map((name) => `- ${textForPeople(name, NAME_BYTES)}`);
  const others = leftOut.map(({ path, why }) => `- ${path}: ${why}`);
  return [
    ...(secrets.length === 0 ? [] : ['Secrets of the deployment, which stay as they are:', ...secrets]),
    ...(others.length === 0 ? [] : ['Shown by the service as well, and left as it is there:', ...others]),
  ];
}

function skeletonText({ name, keys }: SecretSkeleton, { name: resource, namespace }: Adopted): string {
  const metadata = { name, ...defined({ namespace }) };
  return renderYaml(
    { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque' },
    {
      before: [
        `Values of the secrets of ${resource}, to be filled in with those in force; until all are here, none is sent.`,
        'A service that does not show values is sent them once, which may make a revision, unless the Deployment has',
        'the annotation dms-operator.dev/assume-applied: import.',
      ],
      after: ['stringData:', ...keys.map((key) => `  ${key}: ''`)],
    },
  );
}
