import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { listsShow, patchesAnswer, type ShownDeployment } from '../support/shaped-answers.ts';
import type { World } from '../support/world.ts';

/** A text that a service shows in place of a secret, which looks like a value. */
const hidden = (name: string): string => `hidden-${name}`;
const partial = (_name: string, value: string): string => `${value.slice(0, 2)}…${value.slice(-2)}`;

type Mask = (name: string, value: string) => string;

/** Returns a change that masks each secret with such a name. */
const masking =
  (mask: Mask, names: RegExp) =>
  ({ secrets }: ShownDeployment): void => {
    for (const secret of secrets)
      if (typeof secret.value === 'string' && names.test(secret.name))
        secret.value = mask(secret.name, secret.value);
  };

/** Makes lists and answers show a mask in place of each secret that is called a token. */
function maskTokens(w: World, mask: Mask, names = /TOKEN/): void {
  listsShow(w, masking(mask, names));
  patchesAnswer(w, masking(mask, names));
}

function declare(
  w: World,
  name: string,
  values: Readonly<Record<string, string>>,
  secretsOwnership: 'Exclusive' | 'Merge',
): void {
  w.putSecret(`of-${name}`, values);
  const secrets = Object.keys(values).map((key) => ({
    name: key,
    valueFrom: { secretKeyRef: { name: `of-${name}`, key } },
  }));
  w.apply({ secretsOwnership, secrets }, name);
}

function editByHand(w: World, deployment: string, secret: string, value: string): void {
  w.secretTexts.add(value);
  w.editAtService(`secrets.${secret}`, value, deployment);
}

const kept = (w: World, name: string): unknown => w.kept(name).content.secrets;

const FOREIGN = { name: 'TOKEN_F', value: 'foreign-value-of-m' };
const TWO = {
  deployments: [{ name: 'x' }, { name: 'm', secrets: [FOREIGN] }],
  semantics: { revisionFor: 'revision-config' },
} as const;
const OURS = { TOKEN_A: 'value-a-of-x', TOKEN_B: 'value-b-of-x' };

/** Declares two secrets. Somebody adds another one, and one of the two changes under Merge. */
async function keepsForeign(w: World): Promise<void> {
  declare(w, 'm', { LEVEL: 'level-debug-of-m', TOKEN: 'value-of-m' }, 'Exclusive');
  await w.pass(300);
  editByHand(w, 'm', 'TOKEN_F', FOREIGN.value);
  declare(w, 'm', { LEVEL: 'level-other-of-m', TOKEN: 'value-of-m' }, 'Merge');
  await w.pass(400);
  expect(kept(w, 'm')).toContainEqual(FOREIGN);
}

describe('the secret of somebody else under Merge', () => {
  scenario('is not overwritten by its mask if the service shows some values plainly', TWO, async (w) => {
    maskTokens(w, hidden);
    await keepsForeign(w);
  });

  scenario('is not overwritten by its mask if answers show more values than lists', TWO, async (w) => {
    listsShow(w, masking(hidden, /TOKEN/));
    await keepsForeign(w);
  });

  scenario('is not overwritten if the service masks one name first, and then all', TWO, async (w) => {
    declare(w, 'x', { LEVEL: 'level-debug-of-x', TOKEN: 'value-of-x' }, 'Exclusive');
    await w.pass(200);
    maskTokens(w, hidden);
    await w.pass(200);
    maskTokens(w, hidden, /LEVEL/);
    await w.pass(200);
    declare(w, 'm', { TOKEN_A: 'value-a-of-m' }, 'Merge');
    await w.pass(400);
    expect(kept(w, 'm')).toContainEqual(FOREIGN);
  });

  for (const [how, mask] of Object.entries({ hidden, partial })) {
    // Another resource has a secret of somebody else that never looks masked.
    for (const stays of ['E', 'LEVEL'] as const) {
      scenario(`is not overwritten once the service begins to mask: ${how}, ${stays}`, TWO, async (w) => {
        declare(w, 'x', OURS, 'Exclusive');
        await w.pass(200);
        declare(w, 'x', OURS, 'Merge');
        if (stays === 'E') w.editAtService('secrets.E', '', 'x');
        else editByHand(w, 'x', stays, 'level-debug-of-x');
        await w.pass(200);
        maskTokens(w, mask);
        await w.pass(200);
        declare(w, 'm', { TOKEN_A: 'value-a-of-m' }, 'Merge');
        await w.pass(400);
        expect(kept(w, 'm')).toContainEqual(FOREIGN);
      });
    }

    scenario(`is not overwritten by the correction of the only one of ours: ${how}`, TWO, async (w) => {
      declare(w, 'm', { TOKEN: 'value-of-m' }, 'Exclusive');
      await w.pass(200);
      declare(w, 'm', { TOKEN: 'value-of-m' }, 'Merge');
      editByHand(w, 'm', 'TOKEN_F', FOREIGN.value);
      await w.pass(200);
      maskTokens(w, mask);
      await w.pass(400);
      expect(kept(w, 'm')).toContainEqual(FOREIGN);
    });
  }

  for (const how of ['deleted', 'emptied'] as const) {
    scenario(`goes along if the secrets that proved plain values are ${how}`, TWO, async (w) => {
      declare(w, 'x', OURS, 'Exclusive');
      await w.pass(200);
      if (how === 'deleted') w.service.act({ kind: 'delete', deployment: 'x' });
      else w.apply({ secretsOwnership: 'Exclusive', secrets: [] }, 'x');
      await w.pass(100);
      declare(w, 'm', { TOKEN_A: 'value-a-of-m' }, 'Merge');
      await w.pass(400);
      expect(kept(w, 'm')).toEqual([{ name: 'TOKEN_A', value: 'value-a-of-m' }, FOREIGN]);
    });
  }

  scenario(
    'goes along with the correction of the only one of ours where values are plain',
    TWO,
    async (w) => {
      declare(w, 'm', { TOKEN: 'value-of-m' }, 'Exclusive');
      await w.pass(200);
      declare(w, 'm', { TOKEN: 'value-of-m' }, 'Merge');
      editByHand(w, 'm', 'TOKEN_F', FOREIGN.value);
      await w.pass(200);
      editByHand(w, 'm', 'TOKEN', 'somebody-elses-value');
      await w.pass(400);
      expect(kept(w, 'm')).toEqual([{ name: 'TOKEN', value: 'value-of-m' }, FOREIGN]);
    },
  );
});
