import { behind, type Edit, fieldWhenGiven, only } from './edits.ts';

/** A template of the chart. */
export interface Template {
  /** The manifest in manifests/install from which it is made. */
  readonly file: string;
  /** The condition under which Helm renders it. */
  readonly when?: string;
  readonly edits: readonly Edit[];
}

/** Proxies that connections may name listen elsewhere than services do. */
const PROXY_PORTS = `        {{- range include "dms-operator.proxyPorts" . | fromJsonArray }}
        - protocol: TCP
          port: {{ . }}
        {{- end }}
`;

/** Every manifest of manifests/install but the namespace, which Helm makes, and the CRDs. */
export const TEMPLATES: readonly Template[] = [
  {
    file: 'service-account.yaml',
    when: '.Values.serviceAccount.create',
    edits: [
      { find: '  name: dms-operator\n', put: '  name: {{ include "dms-operator.serviceAccountName" . }}\n' },
      {
        find: '# Only the controller',
        put: `${fieldWhenGiven(2, 'annotations', '.Values.serviceAccount.annotations').join('\n')}\n# Only the controller`,
      },
    ],
  },
  {
    // Rendered once for each namespace, or once for all: `.` is the namespace.
    file: 'controller-role.yaml',
    when: '.Values.rbac.create',
    edits: [
      { find: /^kind: ClusterRole(\w*)$/gm, put: (_, binding) => kindIn(binding) },
      { find: '  kind: ClusterRole\n', put: `  ${kindIn()}\n` },
      {
        find: /^metadata:\n {2}name: .*\n/gm,
        put: (found) => `${found}  {{- with . }}\n  namespace: {{ . }}\n  {{- end }}\n`,
      },
      {
        find: /^[^]*$/,
        put: (all) => `{{- range .Values.watchNamespaces | default (list "") }}\n---\n${all}{{- end }}\n`,
      },
    ],
  },
  {
    file: 'cluster-scoped-role.yaml',
    when: 'and .Values.rbac.create (not .Values.watchNamespaces)',
    edits: [],
  },
  {
    file: 'operator-namespace-role.yaml',
    when: '.Values.rbac.create',
    edits: [
      {
        find: /^ {2}# The Lease by which(?:.*\n)*?(?=---)/gm,
        put: (rules) => only('.Values.leaderElection.enabled', 2, rules),
      },
      {
        find: 'resourceNames: [dms-operator]',
        put: 'resourceNames: [{{ include "dms-operator.leaseName" . }}]',
      },
    ],
  },
  {
    file: 'user-roles.yaml',
    when: '.Values.userRoles.create',
    edits: [
      {
        find: /^ {4}rbac\.authorization\.k8s\.io\/aggregate-to-.*\n/gm,
        put: (line) => only('.Values.userRoles.aggregate', 4, line),
      },
    ],
  },
  { file: 'controller.yaml', edits: controllerEdits() },
  {
    file: 'disruption-budget.yaml',
    when: 'and .Values.podDisruptionBudget.enabled (gt (int .Values.replicas) 1)',
    edits: [
      {
        find: 'minAvailable: 1',
        put: 'minAvailable: {{ .Values.podDisruptionBudget.minAvailable }}',
      },
    ],
  },
  {
    file: 'service.yaml',
    when: '.Values.metrics.service.enabled',
    edits: [
      {
        find: 'spec:\n',
        put: `${fieldWhenGiven(2, 'annotations', '.Values.metrics.service.annotations').join('\n')}\nspec:\n`,
      },
    ],
  },
  {
    file: 'network-policy.yaml',
    when: '.Values.networkPolicy.enabled',
    edits: [
      behind('          port: http\n', ...fieldWhenGiven(6, 'from', '.Values.networkPolicy.ingressFrom')),
      {
        find: / {2}port: 80\n$/,
        put: (found) =>
          `${found}${PROXY_PORTS}    {{- with .Values.networkPolicy.extraEgress }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n`,
      },
    ],
  },
];

function kindIn(binding = ''): string {
  return `kind: {{ ternary "Role${binding}" "ClusterRole${binding}" (ne . "") }}`;
}

function controllerEdits(): readonly Edit[] {
  return [
    { find: 'replicas: 2', put: 'replicas: {{ .Values.replicas }}' },
    {
      find: /^ {2}strategy:\n(?: {4}.*\n)+/m,
      put: (strategy) =>
        `  {{- if .Values.leaderElection.enabled }}\n${strategy}  {{- else }}\n  strategy:\n    type: Recreate\n  {{- end }}\n`,
    },
    ...podEdits(),
    ...containerEdits(),
  ];
}

function podEdits(): readonly Edit[] {
  const given = (field: string): readonly string[] => fieldWhenGiven(6, field, `.Values.${field}`);
  const added = (value: string): string =>
    `        {{- with ${value} }}\n        {{- toYaml . | nindent 8 }}\n        {{- end }}\n`;
  return [
    {
      find: '      annotations:\n',
      put: `${added('.Values.podLabels')}      annotations:\n${added('.Values.podAnnotations')}`,
    },
    {
      find: '      serviceAccountName: dms-operator\n',
      put: '      serviceAccountName: {{ include "dms-operator.serviceAccountName" . }}\n',
    },
    {
      find: / {6}topologySpreadConstraints:\n(?: {8}.*\n)+/,
      put: [
        '      {{- with include "dms-operator.topologySpreadConstraints" . }}',
        '      topologySpreadConstraints:',
        '        {{- . | trim | nindent 8 }}',
        '      {{- end }}',
        ...['nodeSelector', 'tolerations', 'affinity', 'imagePullSecrets'].flatMap(given),
        '      {{- with .Values.priorityClassName }}',
        '      priorityClassName: {{ . }}',
        '      {{- end }}\n',
      ].join('\n'),
    },
    {
      find: /^ {6}securityContext:\n(?: {8}.*\n)+/m,
      put: `${fieldWhenGiven(6, 'securityContext', '.Values.podSecurityContext').join('\n')}\n`,
    },
  ];
}

function containerEdits(): readonly Edit[] {
  return [
    { find: /image: dms-operator:.*/, put: 'image: {{ include "dms-operator.image" . }}' },
    { find: 'imagePullPolicy: IfNotPresent', put: 'imagePullPolicy: {{ .Values.image.pullPolicy }}' },
    {
      find: '          args: [run]\n',
      put: [
        '          args:',
        '            {{- include "dms-operator.args" . | nindent 12 }}',
        ...fieldWhenGiven(10, 'env', '.Values.extraEnv'),
        '',
      ].join('\n'),
    },
    {
      find: /^ {10}#.*\n {10}resources:\n(?: {12}.*\n)+/m,
      put: `${fieldWhenGiven(10, 'resources', '.Values.resources').join('\n')}\n`,
    },
  ];
}
