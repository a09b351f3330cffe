import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { isEmptyBody, patchBody, type PatchBody } from '../../../src/model/external/patch-body.ts';
import { declaredList } from '../../../src/model/patch/secret-list.ts';
import { aResource, anObserved, secretsOf } from '../../support/resources/builders.ts';

function bodyFor(
  spec: Partial<DeploymentSpec>,
  observed: ObservedDeployment,
  paths: readonly string[],
  more: {
    readonly redeploy?: boolean;
    readonly secrets?: Readonly<Record<string, string>>;
    readonly withheld?: readonly string[];
    readonly defaulted?: readonly string[];
  } = {},
): PatchBody {
  const secrets = more.secrets === undefined ? ({ kind: 'unmanaged' } as const) : secretsOf(more.secrets);
  const desired = desiredDeployment(aResource(spec).spec, secrets);
  return patchBody(desired, observed, {
    paths: new Set(paths),
    withheld: new Set(more.withheld ?? []),
    reported: new Set(),
    defaulted: new Set(more.defaulted ?? []),
    redeploy: more.redeploy ?? false,
    secrets: declaredList(desired),
  });
}

describe('a PATCH body', () => {
  test('carries changed keys of sourceConfig only', () => {
    const spec = { sourceConfig: { customURL: 'https://a', buildOnPush: true } };
    const body = bodyFor(spec, anObserved(), ['sourceConfig.customURL']);
    expect(body).toEqual({ sourceConfig: { fields: { customURL: 'https://a' } } });
  });

  test('carries every managed key of sourceRevisionConfig if one changed', () => {
    const spec = { sourceRevisionConfig: { repoRef: 'main', graphConfigPath: 'graph.json' } };
    const body = bodyFor(spec, anObserved(), ['sourceRevisionConfig.repoRef']);
    expect(body).toEqual({ sourceRevisionConfig: { repoRef: 'main', graphConfigPath: 'graph.json' } });
  });

  test('merges managed resource fields into all shown fields, including unknown keys and without nulls', () => {
    const observed = anObserved({
      sourceConfig: {
        fields: {},
        resourceSpec: {
          fields: { cpu: 1, memoryMB: 4096, queueCPU: 4, dbCPU: null, labels: { team: 'a', keep: 'me' } },
          unknown: { gpu_count: 2, nothing: null },
        },
      },
    });
    const spec = { sourceConfig: { resourceSpec: { cpu: 2, labels: { team: 'b' } } } };
    const body = bodyFor(spec, observed, ['sourceConfig.resourceSpec.cpu']);
    expect(body).toEqual({
      sourceConfig: {
        fields: {},
        resourceSpec: {
          fields: { cpu: 2, memoryMB: 4096, queueCPU: 4, labels: { team: 'b', keep: 'me' } },
          unknown: { gpu_count: 2 },
        },
      },
    });
  });

  test('carries the whole managed set of secrets, sorted by name', () => {
    const body = bodyFor({ secrets: [] }, anObserved(), ['secrets'], { secrets: { B: '2', A: '1' } });
    expect(body.secrets?.map(({ name, value }) => [name, value.reveal()])).toEqual([
      ['A', '1'],
      ['B', '2'],
    ]);
  });

  test('carries revisionSource only together with the revision block', () => {
    const spec: Partial<DeploymentSpec> = {
      revisionSource: 'internal_container',
      sourceConfig: { buildOnPush: true },
      sourceRevisionConfig: { imageURI: 'x:1' },
    };
    expect(bodyFor(spec, anObserved(), ['sourceConfig.buildOnPush'])).not.toHaveProperty('revisionSource');
    expect(bodyFor(spec, anObserved(), ['sourceRevisionConfig.imageURI'])).toEqual({
      revisionSource: 'internal_container',
      sourceRevisionConfig: { imageURI: 'x:1' },
    });
  });

  test('carries an explicit null for a field to be cleared, and only when it is due', () => {
    const spec: Partial<DeploymentSpec> = {
      clear: ['sourceConfig.customURL', 'sourceRevisionConfig.graphConfigPath'],
      sourceRevisionConfig: { repoRef: 'main' },
    };
    expect(bodyFor(spec, anObserved(), ['sourceConfig.customURL'])).toEqual({
      sourceConfig: { fields: { customURL: null } },
    });
    expect(bodyFor(spec, anObserved(), ['sourceRevisionConfig.repoRef'])).toEqual({
      sourceRevisionConfig: { repoRef: 'main' },
    });
  });

  test('does not send back the default that a service shows for an emptied field', () => {
    const cpu = 'sourceConfig.resourceSpec.cpu';
    const shown = { fields: { cpu: 1, memoryMB: 4096 }, unknown: {} };
    const observed = anObserved({ sourceConfig: { fields: {}, resourceSpec: shown } });
    const spec: Partial<DeploymentSpec> = {
      clear: [cpu],
      sourceConfig: { resourceSpec: { memoryMB: 512 } },
    };
    const fieldsOf = (defaulted: readonly string[]) =>
      bodyFor(spec, observed, ['sourceConfig.resourceSpec.memoryMB'], { defaulted }).sourceConfig
        ?.resourceSpec?.fields;
    expect(fieldsOf([cpu])).toEqual({ memoryMB: 512 });
    expect(fieldsOf([]), 'another client filled it again').toEqual({ cpu: 1, memoryMB: 512 });
  });

  test('omits withheld fields, even if their block is sent whole', () => {
    const spec = { sourceRevisionConfig: { repoRef: 'main', graphConfigPath: 'graph.json' } };
    const withheld = ['sourceRevisionConfig.graphConfigPath'];
    const body = bodyFor(spec, anObserved(), ['sourceRevisionConfig.repoRef'], { withheld });
    expect(body).toEqual({ sourceRevisionConfig: { repoRef: 'main' } });
  });

  test('repeats the revision block on a redeploy, and is empty if no field in it is managed', () => {
    const spec = { sourceRevisionConfig: { imageURI: 'x:1' } };
    expect(bodyFor(spec, anObserved(), [], { redeploy: true })).toEqual({
      sourceRevisionConfig: { imageURI: 'x:1' },
    });
    expect(isEmptyBody(bodyFor({}, anObserved(), [], { redeploy: true }))).toBe(true);
  });
});
