import type { SimulatedAnswer, SimulatedRequest } from '../../../src/simulator/api/exchange.ts';
import type { World } from './world.ts';

/** A deployment in an answer, which may be changed in place. */
export interface ShownDeployment {
  id: string;
  name: string;
  [key: string]: unknown;
  source_config: Record<string, unknown>;
  source_revision_config: Record<string, unknown>;
  secrets: { name: string; value?: string | null }[];
}

/** Makes lists show each deployment in a changed form from now on. */
export function listsShow(world: World, change: (shown: ShownDeployment) => void): void {
  answersPass(world, (request, answer) => {
    if (request.method !== 'GET' || request.path !== '/v2/deployments') return answer;
    const body = JSON.parse(answer.body) as { resources: ShownDeployment[] };
    body.resources.forEach(change);
    return { ...answer, body: JSON.stringify(body) };
  });
}

/** Makes the answers to PATCH show a changed form from now on. `asked` is the body of the request. */
export function patchesAnswer(
  world: World,
  change: (shown: ShownDeployment, asked: Record<string, unknown>) => void,
): void {
  answersPass(world, (request, answer) => {
    if (request.method !== 'PATCH') return answer;
    const shown = JSON.parse(answer.body) as ShownDeployment;
    change(shown, JSON.parse(request.body) as Record<string, unknown>);
    return { ...answer, body: JSON.stringify(shown) };
  });
}

function answersPass(
  { service }: World,
  pass: (request: SimulatedRequest, answer: SimulatedAnswer) => SimulatedAnswer,
): void {
  const handle = service.handle.bind(service);
  service.handle = async (request) => {
    const answer = await handle(request);
    return answer.status === 200 ? pass(request, answer) : answer;
  };
}
