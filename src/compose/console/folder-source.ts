import { createHash, randomBytes } from 'node:crypto';
import type { DeploymentResource } from '../../api/deployment.ts';
import { defined } from '../../base/defined.ts';
import { problemText } from '../../api/file-problem.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { DirectoryWatch } from '../../directory/store/directory-watch.ts';
import { editManifests } from '../../directory/manifests/edit-manifests.ts';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { hmacDigester } from '../../runtime/process/hmac-digester.ts';
import type { Freshness } from '../../views/screens/overview.ts';
import type { SessionOptions } from '../session/session.ts';
import type { SourceEnvironment } from './cluster-source.ts';
import type { ConsoleSource, FoundEvents, Named, SourceChange } from './console-source.ts';

/** Watches manifests and their state file. Throws one line if they cannot be read. */
export async function folderSource(
  options: SessionOptions,
  { clock, logger, onChange }: SourceEnvironment,
): Promise<ConsoleSource> {
  const { paths, state: stateFile } = options;
  const about = { paths, stateFile, clock, logger, randomBytes, digester: hmacDigester, onChange };
  return new FolderSource(await DirectoryWatch.start(about), options, clock);
}

class FolderSource implements ConsoleSource {
  readonly mode = 'folder';
  readonly place: string;
  readonly flags: readonly string[];
  readonly planOptions: ConsoleSource['planOptions'];
  readonly #watch: DirectoryWatch;
  readonly #clock: Clock;

  constructor(watch: DirectoryWatch, options: SessionOptions, clock: Clock) {
    this.#watch = watch;
    this.#clock = clock;
    this.place = options.paths.join(' ');
    this.flags = options.paths.flatMap((path) => ['--dir', path]);
    this.planOptions = () => options;
  }

  deployments() {
    return this.#watch.picture.deployments;
  }

  connections() {
    return this.#watch.picture.connections;
  }

  freshness(): Freshness {
    const { trouble, picture } = this.#watch;
    return {
      asOf: new Date(this.#clock.now()).toISOString(),
      ...defined({ stale: trouble && `the state cannot be read: ${trouble}` }),
      missingRights: [],
      problems: picture.problems.map(problemText),
    };
  }

  /** Returns the content as the version, since a folder has no version numbers. */
  versionOf({ metadata, spec, status }: DeploymentResource): string {
    const { uid: _, resourceVersion: __, creationTimestamp: ___, ...lasting } = metadata;
    const content = JSON.stringify([lasting, spec, status ?? null]);
    return createHash('sha256').update(content).digest('base64url').slice(0, 22);
  }

  placeOf(resource: DeploymentResource): string | undefined {
    const place = this.#watch.picture.declared.get(keyText(keyOf(resource)));
    return place === undefined ? undefined : `${place.file}:${place.line}`;
  }

  async events(): Promise<FoundEvents> {
    return { events: [], error: 'a folder keeps no events; the log of the controller has them' };
  }

  async now(name: Named): Promise<DeploymentResource | undefined> {
    const { deployments } = await this.#watch.refresh();
    return deployments.find(
      ({ metadata }) => metadata.name === name.name && (metadata.namespace ?? '') === name.namespace,
    );
  }

  async annotate(resource: DeploymentResource, change: AnnotationChange): Promise<SourceChange> {
    const key = keyOf(resource);
    const place = this.#watch.picture.declared.get(keyText(key));
    if (place === undefined) return { kind: 'changed' };
    const [result] = await editManifests(place.file, [{ key, change, object: place.object }]);
    await this.#watch.refresh();
    if (result?.kind === 'edited') return { kind: 'done', where: `${place.file}:${result.line}` };
    return {
      kind: 'by hand',
      why: `${place.file}:${place.line}: not edited: ${result?.why ?? 'it is gone'}`,
    };
  }

  close(): Promise<void> {
    return this.#watch.close();
  }
}
