import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { at } from '../../src/api/problem.ts';
import { run } from '../cli/support/terminal.ts';
import { pathExists, textOf } from '../docs/support.ts';
import { useGoProgram } from '../support/programs/go-program.ts';
import { only } from './support/kustomize.ts';

const set = useGoProgram('setters');

const AGENT = textOf('manifests/gitops/app/support-agent.yaml');
const AUTOMATION = textOf('manifests/gitops/flux/image-automation.yaml');

test('image automation changes only the tag, and keeps the marker', async () => {
  const [image, next] = [
    'images.example.com/team-a/support-agent:1.4.0',
    'images.example.com/team-a/support-agent:1.5.0',
  ];
  const text = await set({ text: AGENT, policy: 'flux-system:support-agent', image: next });
  expect(AGENT).toContain(image);
  expect(text).toBe(AGENT.replace(image, next));
  expect(await run(['validate', '-f', '-'], { stdin: String(text) })).toMatchObject({ code: 0 });
});

test('an image of another policy is unchanged', async () => {
  const other = { text: AGENT, policy: 'flux-system:docs-agent', image: 'images.example.com/docs:2' };
  expect(await set(other)).toBe(AGENT);
});

test('marker, policy, registry, source and folder refer to each other', () => {
  const uri = at(parse(AGENT), 'spec', 'sourceRevisionConfig', 'imageURI');
  const policy = only(AUTOMATION, 'ImagePolicy');
  const repository = only(AUTOMATION, 'ImageRepository');
  const update = only(AUTOMATION, 'ImageUpdateAutomation');
  const source = only(textOf('manifests/gitops/flux/sync.yaml'), 'GitRepository');
  expect(AGENT).toContain(
    `"$imagepolicy": "${String(policy.metadata['namespace'])}:${policy.metadata.name}"`,
  );
  expect(at(policy, 'spec', 'imageRepositoryRef')).toEqual({ name: repository.metadata.name });
  expect(String(uri).split(':')[0]).toBe(at(repository, 'spec', 'image'));
  expect(at(update, 'spec', 'sourceRef')).toEqual({ kind: 'GitRepository', name: source.metadata.name });
  expect(pathExists(String(at(update, 'spec', 'update', 'path')))).toBe(true);
});

test('the examples contain only YAML that every parser reads in the same way', () => {
  for (const file of ['sync', 'image-automation']) {
    const text = textOf(`manifests/gitops/flux/${file}.yaml`);
    for (const document of parseAllDocuments(text))
      expect([...document.errors, ...document.warnings]).toEqual([]);
  }
});
