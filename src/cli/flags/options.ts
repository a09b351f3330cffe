import { type Command, InvalidArgumentError, Option } from 'commander';
import { SOURCES } from '../../api/sources.ts';
import { parseDuration } from '../../base/parse-duration.ts';
import { isNamespaceName } from '../../model/connection/connection.ts';

/** The longest duration: longer than any wait, and short enough for a timer. */
const LONGEST_MS = 24 * 3_600_000;

/** Collects the values of a flag that may be repeated. */
export function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Returns the option `-f`, the paths of manifests. */
export function manifestPaths(): Option {
  return new Option(
    '-f, --filename <path...>',
    'files, folders (with all below them), or - for standard input',
  ).makeOptionMandatory();
}

/** Returns the option `-f` of a command that reads a cluster if there are no manifests. */
export function manifestsOrCluster(): Option {
  return new Option(
    '-f, --filename <path...>',
    'manifests: files, folders (with all below them), or - for standard input; default: a cluster',
  );
}

/** Returns the option `--connection`, which selects the service. */
export function connectionName(): Option {
  return new Option(
    '--connection <name>',
    'Connection, or clusterconnection/NAME; default: the only one, or that called default',
  );
}

/** Returns the option `-o`, the output format. Default: the first format. */
export function outputFormat(formats: readonly string[], about: string): Option {
  return new Option('-o, --output <format>', about).choices(formats).default(formats[0]);
}

/** Returns an option that takes a kind of source. */
export function kindOfSource(flags: string, about: string): Option {
  return new Option(flags, about).choices(SOURCES);
}

/** The heading of the flags that select a cluster, the same in every command. */
export const CLUSTER_GROUP = 'Which cluster, and as whom, as kubectl has them:';

/** Adds kubectl's flags for the cluster and the user; `readClusterAccess` reads them. */
export function addClusterOptions(command: Command): Command {
  const options = [
    new Option(
      '--kubeconfig <file>',
      'default: KUBECONFIG, the file in the home folder, the cluster this runs in',
    ),
    new Option('--context <name>', 'context of the kubeconfig; default: the current one'),
    new Option('--cluster <name>', 'cluster of the kubeconfig, instead of that of the context'),
    new Option('--user <name>', 'user of the kubeconfig, instead of that of the context'),
    new Option('-s, --server <url>', 'address of the API server'),
    new Option('--token <token>', 'bearer token for the API server'),
    new Option('--as <user>', 'user to impersonate'),
    new Option('--as-group <group>', 'group to impersonate; repeatable').argParser(collected),
    new Option('--certificate-authority <file>', 'certificate authority of the API server'),
    new Option('--client-certificate <file>', 'certificate for the API server'),
    new Option('--client-key <file>', 'key of that certificate'),
    new Option('--insecure-skip-tls-verify', 'accept any certificate of the API server'),
    new Option('--tls-server-name <name>', 'name that the certificate of the API server must carry'),
    new Option('--request-timeout <time>', 'limit for one request, such as 30s or 1m; 0 for none'),
  ];
  for (const option of options) command.addOption(option.helpGroup(CLUSTER_GROUP));
  return command;
}

function namespaceName(text: string): string {
  if (isNamespaceName(text)) return text;
  throw new InvalidArgumentError('Expected the name of a namespace.');
}

/** Flags that choose resources of one namespace or of all. */
export interface NamespaceFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
}

/** Adds `-n` and `-A`. The default is the namespace of the context, as with kubectl. */
export function addNamespaceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('-n, --namespace <namespace>', 'default: that of the context').argParser(namespaceName),
    )
    .addOption(new Option('-A, --all-namespaces', 'resources of every namespace'));
}

/** The options for the places of a command's resources and services. */
export interface SessionFlags {
  readonly state?: string;
  readonly secretsDir?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly allNamespaces?: true;
  readonly operatorNamespace?: string;
  readonly allowHosts?: readonly string[];
  readonly proxyHosts?: readonly string[];
  readonly proxyFromEnvironment?: true | string;
}

/** Adds `-A` for a command that reads one namespace of a cluster by default. */
export function addAllNamespaces(command: Command): Command {
  return command
    .optionsGroup('In a cluster:')
    .addOption(new Option('-A, --all-namespaces', 'look at every namespace'));
}

/** Adds flags for the places of resources, of the remembered state, and of Secrets. */
export function addSessionOptions(command: Command): Command {
  addClusterOptions(command.optionsGroup('In a cluster:'))
    .option(
      '-n, --namespace <namespace>',
      'look only at this namespace, and take manifests that name none for it; repeatable; default: that of the context',
      collected,
    )
    .option('--operator-namespace <namespace>', 'where the controller is; default: dms-operator');
  command
    .optionsGroup('Without a cluster:')
    .option('--state <file>', 'file with the state of earlier runs; default: DIR/.dms-operator/state.json')
    .option('--secrets-dir <folder>', 'take Secrets from files <secret>/<key> in this folder');
  return addEgressOptions(command.optionsGroup('Everywhere:'));
}

/** Adds flags for the permitted addresses and proxies of connections; `readEgress` reads them. */
export function addEgressOptions(command: Command): Command {
  return command
    .option(
      '--allow-hosts <hosts>',
      'hosts that connections may name, such as *.example.com,api.example.org:8443; repeatable',
      collected,
    )
    .option(
      '--proxy-hosts <hosts>',
      'proxies that connections may name, in the same form; default: none; needs --allow-hosts; repeatable',
      collected,
    )
    .option(
      '--proxy-from-environment [bool]',
      'reach services of connections that name no proxy through HTTPS_PROXY, except for hosts in NO_PROXY; needs --allow-hosts',
    );
}

/** Parses a port to listen on. Throws an error for the command line. */
export function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 65535.');
}

/** Parses a number of seconds with up to three decimals. Throws an error for the command line. */
export function seconds(text: string): number {
  if (/^\d{1,6}(?:\.\d{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number of seconds.');
}

/**
 * Parses a duration such as 90s, 10m or 1h, or a number of seconds; returns milliseconds. Throws an error for the
 * command line.
 */
export function durationMs(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgumentError('Expected a duration such as 90s, 10m or 1h.');
}
