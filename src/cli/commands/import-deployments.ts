import { countText, textForPeople } from '../../base/text-for-people.ts';
import { UsageError } from '../../config.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { ConnectionName } from '../../model/connection/connection.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { NotAdoptable } from '../../views/manifests/adopted.ts';
import type { Adoption } from '../../views/manifests/adoption.ts';
import { addFilterOptions, FILTER_HELP, type FilterFlags } from '../flags/filter-flags.ts';
import {
  addAllNamespaces,
  addSessionOptions,
  connectionName,
  kindOfSource,
  manifestsOrCluster,
  type SessionFlags,
} from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STOPPED } from '../program/help.ts';
import { EXIT, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import type { Looked } from './look-once.ts';

interface ImportOptions extends SessionFlags, FilterFlags {
  readonly filename?: readonly string[];
  readonly connection?: string;
  readonly all?: true;
  readonly outputDir?: string;
  readonly force?: true;
  readonly withSecrets?: true;
  readonly assumeSource?: string;
}

/** The flags that choose deployments; at least one is required. */
const CHOICES = ['all', 'name', 'id', 'source', 'status', 'imageVersion', 'parameter'] as const;

/** `import`: writes manifests for existing deployments. Fails if a requested deployment got none. */
export const importDeployments = cliCommand<ImportOptions>({
  name: 'import',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Write manifests for deployments that exist. Applying them changes nothing.')
      .option(
        '--output-dir <folder>',
        'a file for each in this folder; default: one stream on standard output',
      )
      .option('--force', 'replace files, and write those again that a manifest declares already')
      .option('--with-secrets', 'name secrets, by references to a Secret whose values you fill in')
      .addOption(
        kindOfSource(
          '--assume-source <source>',
          'source of deployments of which the service does not show one',
        ),
      );
    addFilterOptions(command).option('--all', 'all that the service lists');
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster()).addOption(connectionName());
    addAllNamespaces(addSessionOptions(command));
  },
  action,
});

const REPEATS = 'it repeats a secret header of the connection, which belongs in no file';

/** The number of bytes of a service's name that messages repeat. */
const NAME_BYTES = 120;

async function action(options: ImportOptions, { terminal }: Call): Promise<ExitCode> {
  if (CHOICES.every((name) => options[name] === undefined)) {
    throw new UsageError('import: say which deployments: --all, --name, --id or another filter');
  }
  const { lookOnce } = await import('./look-once.ts');
  const found = await lookOnce(options, terminal, (looked) => adoptionIn(looked, options));
  if (found === undefined) return EXIT.failed;
  for (const note of found.notes) terminal.err(`note: ${note}\n`);
  await put(found, options, terminal);
  for (const { observed, why } of found.impossible) {
    const remedy = observed.source === undefined && why !== REPEATS ? '; give it with --assume-source' : '';
    terminal.err(`left out ${textForPeople(observed.name, NAME_BYTES)} (${observed.id}): ${why}${remedy}\n`);
  }
  return found.impossible.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Returns the given namespace, else that of the connection, unless it is the default namespace. */
function namespaceFor({ namespace }: ConnectionName, asked: readonly string[]): string | undefined {
  if (asked.length === 1) return asked[0];
  return namespace === '' || namespace === 'default' ? undefined : namespace;
}

interface ImportFound extends Adoption {
  readonly notes: readonly string[];
}

async function adoptionIn(
  { session, namespaces, signal }: Looked,
  options: ImportOptions,
): Promise<ImportFound> {
  const { findDeployments, serviceOf } = await import('../../compose/session/inventory.ts');
  const { adoption } = await import('../../views/manifests/adoption.ts');
  const { split } = await import('../flags/session-options.ts');
  const service = await serviceOf(session, { ...options, namespaces }, signal);
  const { deployments, listed, repeating, notes, unmatched } = await findDeployments(
    service,
    options,
    signal,
  );
  const [missing] = unmatched;
  if (missing !== undefined) throw new ExpectedError(`no deployment is called ${missing}, or has that id`);
  const found = adoption({
    connection: service.name,
    chosen: deployments.filter(({ id }) => !repeating.has(id)),
    ...{ listed, declared: session.deployments },
    again: options.force === true,
    namespace: namespaceFor(service.name, split(options.namespace)),
    source: options.assumeSource,
    withSecrets: options.withSecrets === true,
  });
  const repeats = deployments.filter(({ id }) => repeating.has(id));
  return { ...found, notes, impossible: [...found.impossible, ...repeats.map(notWritten)] };
}

/** Returns the refusal to write a manifest from a deployment with hidden values: the values would be missing in it. */
function notWritten(observed: ObservedDeployment): NotAdoptable {
  return { kind: 'not adoptable', observed, why: REPEATS };
}

async function put(found: ImportFound, options: ImportOptions, terminal: Terminal): Promise<void> {
  const { renderManifest } = await import('../render/render-manifest.ts');
  const { yamlStream } = await import('../render/render-yaml.ts');
  const { saveManifests } = await import('../../compose/session/check-manifests.ts');
  const { outputDir: folder } = options;
  const files = found.manifests.map((manifest) => ({
    name: `${manifest.name}.yaml`,
    text: renderManifest(manifest),
  }));
  if (files.length === 0) {
    if (found.impossible.length === 0) terminal.err(`${nothingText(found)}\n`);
  } else if (folder === undefined) terminal.out(yamlStream(files.map(({ text }) => text)));
  else {
    await saveManifests(folder, files, { replace: options.force === true });
    terminal.out(`${countText(files.length, 'manifest')} written to ${folder}${besideText(found)}\n`);
  }
}

function nothingText({ declared }: Adoption): string {
  if (declared === 0) return 'there are no such deployments';
  return `all of them are declared already (${declared}); --force writes them again`;
}

function besideText({ declared }: Adoption): string {
  return declared === 0 ? '' : `, ${countText(declared, 'deployment')} left out that are declared already`;
}

function help(program: string): CommandHelp {
  return {
    about: [
      'It skips deployments that are declared already or that no manifest can express, and names them. It never writes secret values: it lists secrets as comments, so they stay as they are.',
      FILTER_HELP,
    ],
    exitCodes: {
      0: 'all requested deployments are written, or declared already',
      1: 'something is wrong, or some deployments were skipped that no manifest can express',
      ...STOPPED,
    },
    examples: [
      [`${program} import --all -f connection.yaml --output-dir manifests/`, 'take everything over'],
      [
        `${program} import --name 'support-*' -n team-a > agents.yaml`,
        'through the Connection of a namespace',
      ],
      [`${program} import --id ID -f connection.yaml --with-secrets`, 'one, with a Secret to fill in'],
    ],
  };
}
