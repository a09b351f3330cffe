import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { ConsoleSource, SourceChange } from '../../../src/compose/console/console-source.ts';
import type { AnnotationChange } from '../../../src/model/desired/annotation-change.ts';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import type { Freshness } from '../../../src/views/screens/overview.ts';
import { at } from '../resources/builders.ts';

/** Resources of a console that a test sets. */
export class MemorySource implements ConsoleSource {
  readonly mode = 'cluster';
  readonly place = 'test';
  readonly flags = ['--context', 'test'];
  readonly planOptions = () => ({ paths: [], egress: DIRECT });
  resources: readonly DeploymentResource[];
  readonly connected: readonly ConnectionResource[];
  fresh: Freshness = { asOf: at(0), missingRights: [], problems: [] };
  /** The requested changes. */
  readonly changes: AnnotationChange[] = [];
  /** The result of the next changes. */
  end: SourceChange = { kind: 'done' };
  /** A hook between the read and the change. */
  meanwhile: () => void = () => undefined;

  constructor(resources: readonly DeploymentResource[], connections: readonly ConnectionResource[] = []) {
    this.resources = resources;
    this.connected = connections;
  }

  deployments = () => this.resources;
  connections = () => this.connected;
  freshness = () => this.fresh;
  versionOf = ({ metadata }: DeploymentResource) => metadata.resourceVersion ?? '';
  events = async () => ({ events: [] });
  close = async () => undefined;

  async now({ namespace, name }: { readonly namespace: string; readonly name: string }) {
    return this.resources.find(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    );
  }

  async annotate(_: DeploymentResource, change: AnnotationChange): Promise<SourceChange> {
    this.meanwhile();
    if (this.end.kind === 'done') this.changes.push(change);
    return this.end;
  }
}
