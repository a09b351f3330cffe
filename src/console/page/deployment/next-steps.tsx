import type { JSX } from 'preact';
import type { NextStep } from '../../../views/screens/deployment-screen.ts';
import type { Tone } from '../../../views/screens/tone.ts';
import { Command } from '../parts/command.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Notice } from '../parts/notice.tsx';
import { Prose } from '../parts/prose.tsx';
import { commandText } from '../state/command-text.ts';

/** Why a resource is as it is, and what to do about it. */
export function NextSteps({
  steps,
  tone,
}: {
  readonly steps: readonly NextStep[];
  readonly tone: Tone;
}): JSX.Element {
  return (
    <>
      {steps.map((step) => (
        <Notice key={step.reason} tone={tone} title={<LongText text={step.message} />}>
          <p class="muted">
            <Prose text={step.means} />
          </p>
          <p>
            <b>What to do.</b> <Prose text={step.todo} />
          </p>
          {step.command !== undefined && <Command text={commandText(step.command)} />}
        </Notice>
      ))}
    </>
  );
}
