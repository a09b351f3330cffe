import { findDeployments, serviceOf } from '../../compose/session/inventory.ts';
import { saveManifests } from '../../compose/session/manifests.ts';
import type { Session } from '../../compose/session/session.ts';
import type { NotAdoptable } from '../../views/manifests/adopted.ts';
import { type Adoption, adoption } from '../../views/manifests/adoption.ts';
import type { ConnectionName } from '../../model/connection/connection.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { countText } from '../render/render.ts';
import { renderManifest } from '../render/render-manifest.ts';
import { yamlStream } from '../render/render-yaml.ts';
import { lookOnce } from './look.ts';
import { namespacesOf, split } from '../flags/session-options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ImportOptions } from '../words/import.ts';

const REPEATS = 'it repeats a secret header of the connection, which belongs in no file';

/** The longest name from the service that is repeated, in bytes. */
const NAME_BYTES = 120;

/** `import`: manifests for deployments that exist. Fails where some that were asked for got none. */
export async function importCommand(options: ImportOptions, terminal: Terminal): Promise<ExitCode> {
  const found = await lookOnce(options, terminal, (session, signal) => adoptionIn(session, options, signal));
  if (found === undefined) return EXIT.failed;
  for (const note of found.notes) terminal.err(`note: ${note}\n`);
  await put(found, options, terminal);
  for (const { observed, why } of found.impossible) {
    const remedy = observed.source === undefined && why !== REPEATS ? '; give it with --assume-source' : '';
    terminal.err(`left out ${textForPeople(observed.name, NAME_BYTES)} (${observed.id}): ${why}${remedy}\n`);
  }
  return found.impossible.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The given namespace, else that of the connection, which is left out where it is the default. */
function namespaceFor({ namespace }: ConnectionName, asked: readonly string[]): string | undefined {
  if (asked.length === 1) return asked[0];
  return namespace === '' || namespace === 'default' ? undefined : namespace;
}

interface ImportFound extends Adoption {
  readonly notes: readonly string[];
}

async function adoptionIn(
  session: Session,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportFound> {
  const namespaces = namespacesOf(options, session);
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

/** A value that is hidden there would be missing in the manifest. */
function notWritten(observed: ObservedDeployment): NotAdoptable {
  return { kind: 'not adoptable', observed, why: REPEATS };
}

async function put(found: ImportFound, options: ImportOptions, terminal: Terminal): Promise<void> {
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
