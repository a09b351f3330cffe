/** A deployment `agent` that already exists at the service, as a seed of a world or a simulated service. */
export const LIVE_AGENT = {
  name: 'agent',
  revisionConfig: { image_uri: 'registry.example.com/agent:1' },
} as const;

/** Returns the smallest manifest of the agent, with a version of its image. Members of its spec may follow. */
export const agentManifest = (version: number): string => `
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: agent}
spec:
  source: external_container
  sourceRevisionConfig: {imageURI: 'registry.example.com/agent:${version}'}
`;

/** A manifest of the agent with the next image. */
export const NEXT_AGENT: string = agentManifest(2);
