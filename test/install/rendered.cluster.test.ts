import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaseName } from '../../src/compose/cluster/election-part.ts';
import type { KubernetesDocument } from '../gitops/support/kustomize.ts';
import { useHelm } from '../support/programs/helm.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { INSTALL, kustomized, OVERLAYS, type Rendered, templated } from './support/rendered.ts';
import { runConfigOf } from './support/run-config.ts';

const cluster = useControlPlane();
const helm = useHelm();

const OWN_ROLE = 'Role dms-operator/dms-operator-own-namespace';

/** The additions by Helm's own book-keeping, which belong to no installation. */
const ADDED = /^(?:app\.kubernetes\.io\/managed-by|helm\.sh\/(?:chart|resource-policy))$/;

function withoutBookkeeping(document: KubernetesDocument): unknown {
  const { labels, annotations, ...metadata } = document.metadata as Record<string, Record<string, string>>;
  const kept = (all: Readonly<Record<string, string>> = {}): object =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !ADDED.test(name)));
  return { ...document, metadata: { ...metadata, labels: kept(labels), annotations: kept(annotations) } };
}

describe('the chart with its default values', () => {
  it('equals the installation of kustomize, object by object, without the namespace', async () => {
    const [theirs, ours] = [await kustomized(cluster(), INSTALL), await templated(helm)];
    const wanted = [...theirs].filter(([key]) => key !== 'Namespace dms-operator');
    expect(wanted).toHaveLength(theirs.size - 1);
    expect([...ours.keys()].toSorted()).toEqual(wanted.map(([key]) => key).toSorted());
    for (const [key, document] of wanted) {
      const rendered = ours.get(key);
      expect(rendered && withoutBookkeeping(rendered), key).toEqual(withoutBookkeeping(document));
    }
  });

  it('keeps the CRDs, and marks nothing else to be kept', async () => {
    const kept = [...(await templated(helm))].filter(
      ([, { metadata }]) =>
        JSON.stringify(metadata['annotations'] ?? {}) === '{"helm.sh/resource-policy":"keep"}',
    );
    expect(kept.map(([key]) => key).toSorted()).toEqual([
      'CustomResourceDefinition clusterconnections.dms-operator.dev',
      'CustomResourceDefinition connections.dms-operator.dev',
      'CustomResourceDefinition deployments.dms-operator.dev',
    ]);
  });
});

/** Returns the settings of a rendered controller. */
function argsOf(rendered: Rendered, name: string): readonly string[] {
  const workload = rendered.get(`Deployment dms-operator/${name}`) as unknown as {
    spec: { template: { spec: { containers: readonly [{ args: readonly string[] }] } } };
  };
  return workload.spec.template.spec.containers[0].args;
}

function leasesOf(rendered: Rendered): unknown {
  const rules = rendered.get(OWN_ROLE)?.['rules'] as readonly {
    resources: string[];
    resourceNames?: string[];
  }[];
  return rules.findLast(({ resources }) => resources.includes('leases'))?.resourceNames;
}

describe('the network policy', () => {
  it('selects the pods of the controller, and allows their necessary traffic', async () => {
    const rendered = await kustomized(cluster(), INSTALL);
    const [policy, workload] = ['NetworkPolicy', 'Deployment'].map(
      (kind) => rendered.get(`${kind} dms-operator/dms-operator`)?.['spec'],
    ) as [Policy, Workload];
    expect(workload.template.metadata.labels).toEqual(policy.podSelector.matchLabels);
    const [{ ports }] = workload.template.spec.containers;
    expect(portsOf(policy.ingress)).toEqual(ports.map(({ name }) => `TCP ${name}`));
    const [names, apiServer, services] = policy.egress.map((rule) => portsOf([rule]));
    expect(names).toEqual(['UDP 53', 'TCP 53', 'UDP 5353', 'TCP 5353']);
    expect(apiServer).toEqual(['TCP 443', 'TCP 6443', 'TCP 8443', 'TCP 16443']);
    expect(services).toEqual(['TCP 443', 'TCP 80']);
    expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
  });
});

interface Rule {
  readonly ports: readonly { readonly protocol: string; readonly port: string | number }[];
}

interface Policy {
  readonly podSelector: { readonly matchLabels: object };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
}

interface Workload {
  readonly template: {
    readonly metadata: { readonly labels: object };
    readonly spec: {
      readonly containers: readonly [{ readonly ports: readonly { readonly name: string }[] }];
    };
  };
}

function portsOf(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ ports }) => ports.map(({ protocol, port }) => `${protocol} ${port}`));
}

describe('an overlay', () => {
  it('for a single namespace gives rights there and at home only, and to the right Lease', async () => {
    const rendered = await kustomized(cluster(), join(OVERLAYS, 'single-namespace'));
    const base = await kustomized(cluster(), INSTALL);
    const roles = [...rendered.keys()].filter((key) => /^(?:Cluster)?Role/.test(key)).toSorted();
    expect(roles).toEqual([
      'ClusterRole dms-operator-connection-admin',
      'ClusterRole dms-operator-edit',
      'ClusterRole dms-operator-view',
      OWN_ROLE,
      'Role team-a/dms-operator',
      'RoleBinding dms-operator/dms-operator-own-namespace',
      'RoleBinding team-a/dms-operator',
    ]);
    expect(rendered.get('Role team-a/dms-operator')?.['rules']).toEqual(
      base.get('ClusterRole dms-operator')?.['rules'],
    );
    expect(rendered.get('RoleBinding team-a/dms-operator')?.['roleRef']).toMatchObject({ kind: 'Role' });
    expect(leasesOf(rendered)).toEqual([leaseName(runConfigOf(argsOf(rendered, 'dms-operator')))]);
  });

  it('with shards has every per-process object once for each, and the rest once', async () => {
    const rendered = await kustomized(cluster(), join(OVERLAYS, 'sharded'));
    const base = await kustomized(cluster(), INSTALL);
    const names = ['dms-operator', 'dms-operator-a', 'dms-operator-b'];
    const running = ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget'].flatMap((kind) =>
      names.map((name) => `${kind} dms-operator/${name}`),
    );
    const services = ['', '-a', '-b'].map((suffix) => `Service dms-operator/dms-operator-metrics${suffix}`);
    const shared = [...base.keys()].filter((key) => !/^(?:Deployment|Network|PodDis|Service )/.test(key));
    expect([...rendered.keys()].toSorted()).toEqual([...running, ...services, ...shared].toSorted());
    expect(leasesOf(rendered)).toEqual(
      ['dms-operator-a', 'dms-operator-b', 'dms-operator'].map((name) =>
        leaseName(runConfigOf(argsOf(rendered, name))),
      ),
    );
  });

  it('with shards has no selector that matches the pods of another shard', async () => {
    const rendered = await kustomized(cluster(), join(OVERLAYS, 'sharded'));
    for (const instance of ['dms-operator', 'dms-operator-a', 'dms-operator-b']) {
      const selected = [...rendered.values()].filter(
        ({ metadata, kind }) =>
          /^(?:Deployment|NetworkPolicy|PodDisruptionBudget|Service)$/.test(kind) &&
          JSON.stringify(metadata['labels']).includes(`"app.kubernetes.io/instance":"${instance}"`),
      );
      expect(selected).toHaveLength(4);
      for (const { spec } of selected) {
        const instances = [...JSON.stringify(spec).matchAll(/"app\.kubernetes\.io\/instance":"([^"]+)"/g)];
        expect(new Set(instances.map(([, name]) => name))).toEqual(new Set([instance]));
      }
    }
  });

  it('with a single replica needs no Lease, no budget and no spread', async () => {
    const rendered = await kustomized(cluster(), join(OVERLAYS, 'single-replica'));
    const base = await kustomized(cluster(), INSTALL);
    const gone = [...base.keys()].filter((key) => !rendered.has(key));
    expect(gone).toEqual(['PodDisruptionBudget dms-operator/dms-operator']);
    expect(leasesOf(rendered)).toBeUndefined();
    expect(rendered.get('Deployment dms-operator/dms-operator')?.['spec']).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
      template: {
        spec: expect.not.objectContaining({ topologySpreadConstraints: expect.anything() }) as unknown,
      },
    });
    expect(argsOf(rendered, 'dms-operator')).toEqual(['run', '--leader-elect=false']);
  });
});
