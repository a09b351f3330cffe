import { grafanaPanels, type Json } from './grafana.ts';
import { CHANGES } from './rows/changes.ts';
import { CLUSTER } from './rows/cluster.ts';
import { FLEET } from './rows/fleet.ts';
import { QUEUE } from './rows/queue.ts';
import { SERVICE } from './rows/service.ts';
import { STORY } from './rows/story.ts';

/** The dashboard as Grafana imports it. */
export function dashboard(): Json {
  return {
    uid: 'dms-operator',
    title: 'dms-operator',
    description:
      'Deployments that dms-operator keeps, and how it fares. docs/guides/monitoring.md explains it.',
    tags: ['dms-operator'],
    schemaVersion: 39,
    editable: false,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: variables() },
    panels: grafanaPanels([FLEET, CHANGES, SERVICE, QUEUE, CLUSTER, STORY]),
  };
}

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly query: string;
  /** True: exactly one at a time. */
  readonly single?: boolean;
}

/** The choices at the top of the page; each narrows the following ones. */
const CHOICES: readonly Choice[] = [
  { name: 'job', label: 'Job', query: 'label_values(dms_reconciles_total, job)' },
  { name: 'instance', label: 'Instance', query: 'label_values(dms_reconciles_total{job=~"$job"}, instance)' },
  {
    name: 'connection',
    label: 'Connection',
    query: 'label_values(dms_service_queue_depth{job=~"$job", instance=~"$instance"}, connection)',
  },
  { name: 'namespace', label: 'Namespace', query: 'label_values(kube_dms_deployment_generation, namespace)' },
  {
    name: 'deployment',
    label: 'Deployment',
    query: 'label_values(kube_dms_deployment_generation{namespace=~"$namespace"}, name)',
    single: true,
  },
];

function variables(): readonly Json[] {
  const source = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };
  return [source, ...CHOICES.map(variable)];
}

function variable({ name, label, query, single = false }: Choice): Json {
  return {
    ...{ name, label, type: 'query', query, definition: query },
    datasource: { type: 'prometheus', uid: '${datasource}' },
    // On every change of the time range: connections and instances come and go.
    refresh: 2,
    sort: 1,
    multi: !single,
    includeAll: !single,
    ...(single ? {} : { allValue: '.+', current: { text: ['All'], value: ['$__all'] } }),
  };
}
