/** What the program is for, as its help says. */
export const PROGRAM_HELP =
  'Keeps deployments of the Deployment Management Service equal to what is declared in Kubernetes resources, or in a folder of the same manifests.';

const example = (rows: readonly (readonly [words: string, what: string])[]): string => {
  const width = Math.max(...rows.map(([words]) => words.length));
  return `\nExamples:\n${rows.map(([words, what]) => `  ${words.padEnd(width)}  # ${what}`).join('\n')}\n`;
};

/** Text below the options of each command; the argument is the program as it was called. */
export const EXAMPLES = {
  program: (program: string): string =>
    `${example([
      [`${program} demo`, 'see it work, in half a minute'],
      [`${program} validate -f manifests/`, 'check manifests, for instance in a pull request'],
      [`${program} crds | kubectl apply -f -`, 'make the kinds known to a cluster'],
      [`${program} run`, 'be the controller, in a cluster'],
      [`${program} run --dir manifests/`, 'be the controller, without a cluster'],
    ])}
Exit codes: 0 done, 1 something is wrong, 64 the command line cannot be meant, 130 Ctrl-C.
Errors in manifests read "file:line:column: path: what is wrong; what is expected".
`,
  run: (program: string): string =>
    `
Each flag has a variable: --log-level is DMS_OPERATOR_LOG_LEVEL, lists are separated by commas. Flags win.
SIGTERM and Ctrl-C end it: calls under way get 35 seconds, status is written, the Lease is given back, the exit code is 0.
A replica that lost its Lease ends at once with 1.
${example([
  [`${program} run --namespace team-a --namespace team-b`, 'two namespaces of the current context'],
  [`${program} run --dir manifests/ --secrets-dir /run/secrets`, 'a folder, Secrets from mounted files'],
  [`${program} run --dry-run --log-format pretty`, 'only say what would be done'],
])}`,
  demo: (program: string): string =>
    example([
      [`${program} demo`, 'needs nothing else; takes about half a minute'],
      [`${program} demo --semantics replace,masked,on-presence`, 'the same with a service of other habits'],
    ]),
  validate: (program: string): string =>
    `
The exit code is 1 if there is an error, or nothing to check; warnings alone are fine. Documents of other kinds are ignored.
${example([
  [`${program} validate -f manifests/`, 'a folder and everything below it'],
  [`${program} validate -f a.yaml b.yaml -o json`, 'for scripts'],
  [`${program} validate -f . -o github`, 'annotations on a pull request'],
  [`kustomize build . | ${program} validate -f -`, 'what another tool made'],
])}`,
  crds: (program: string): string =>
    example([
      [`${program} crds | kubectl apply --server-side -f -`, 'install or update them'],
      [`${program} crds > crds.yaml`, 'keep them in a repository'],
    ]),
  simulate: (program: string): string =>
    `
A seed holds the fields that the service shows, for example:
  deployments:
  - {name: agent, source: external_container, source_revision_config: {image_uri: registry.example.com/agent:1}}
${example([
  [`${program} simulate`, 'an empty service at http://127.0.0.1:7070'],
  [`${program} simulate --seed seed.yaml --rollout-seconds 5`, 'with deployments, and quick rollouts'],
  [`${program} simulate --semantics replace,secrets:stars`, 'PATCH replaces, secrets are masked'],
  [`${program} simulate --semantics list`, 'every word for --semantics'],
])}`,
} as const;
