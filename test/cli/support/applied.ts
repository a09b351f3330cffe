import { connectionTo, servedService, type ServedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { type CommandRun, run } from './terminal.ts';

/** An image other than that of the agent. */
export const NEWER = 'registry.example.com/agent:2';
/** The initial deployment of the service. */
export const AGENT = { name: 'agent', revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
/** The lines of a spec that permit a creation. */
export const CREATED = '  creation: {policy: IfMissing}\n';

/** Polls often, so that tests do not have to wait. */
const OFTEN = '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n';

/** A folder that can be applied, and the service that its connection names. */
export interface Applied {
  readonly folder: TemporaryFolder;
  readonly service: ServedService['service'];
  /** Applies the folder with further words. */
  readonly apply: (...words: readonly string[]) => Promise<CommandRun>;
}

/** Creates a folder of manifests with a connection to a service that has one deployment, called agent. */
export async function given(
  files: Readonly<Record<string, string>>,
  more: Parameters<typeof servedService>[1] & { seeds?: Parameters<typeof servedService>[0] } = {},
): Promise<Applied> {
  const { seeds = [AGENT], ...seed } = more;
  const { service, url } = await servedService(seeds, seed);
  const folder = temporaryFolder({ 'connection.yaml': connectionTo(url, { spec: OFTEN }), ...files });
  return { folder, service, apply: (...words) => run(['apply', '-f', folder.path, ...words]) };
}

/** Returns the write operations that the service received, in order. */
export const writes = ({ service }: Applied): readonly string[] =>
  service.log
    .requests()
    .filter(({ method }) => method !== 'GET')
    .map(({ operation }) => operation);

/** Returns the last line of a text. */
export const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
