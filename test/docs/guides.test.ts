import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isRecord } from '../../src/api/problem.ts';
import { pathExists, textOf } from './support.ts';

/** Returns the YAML blocks on a page. */
function blocksOn(page: string): readonly unknown[] {
  const blocks = [...textOf(page).matchAll(/^```yaml\n(?<yaml>[^]*?)^```$/gm)];
  return blocks.map((block): unknown => parse(block.groups?.['yaml'] ?? ''));
}

test('the settings for pre-commit name an existing hook', () => {
  const [settings] = blocksOn('docs/guides/gitops-plain-ci.md') as [
    { readonly repos: readonly { readonly hooks: readonly { readonly id: string }[] }[] },
  ];
  const hooks = parse(textOf('.pre-commit-hooks.yaml')) as readonly { readonly id: string }[];
  const named = settings.repos.flatMap((repository) => repository.hooks.map(({ id }) => id));
  expect(named).toEqual(hooks.map(({ id }) => id));
});

test('the Application for Argo CD names an existing folder, and deletes only our objects', () => {
  const application: unknown = parse(textOf('manifests/gitops/argocd-application.yaml'));
  expect(application).toMatchObject({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    spec: { source: { path: 'manifests/gitops/app' }, destination: { namespace: 'team-a' } },
  });
  expect(pathExists('manifests/gitops/app')).toBe(true);
});

test('the policy for Argo CD names an action that it is given', () => {
  const [, action] =
    /action\/dms-operator\.dev\/Deployment\/(\w+)/.exec(textOf('docs/guides/gitops-argocd.md')) ?? [];
  const settings: unknown = parse(textOf('manifests/gitops/argocd-cm.yaml'));
  const data = isRecord(settings) && isRecord(settings['data']) ? settings['data'] : {};
  const actions: unknown = parse(String(data['resource.customizations.actions.dms-operator.dev_Deployment']));
  expect(actions).toMatchObject({
    definitions: expect.arrayContaining([expect.objectContaining({ name: action })]) as unknown,
  });
});
