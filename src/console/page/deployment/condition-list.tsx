import type { JSX } from 'preact';
import type { ConditionLine } from '../../../views/screens/deployment-screen.ts';
import { Age } from '../parts/age.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Prose } from '../parts/prose.tsx';
import { Section } from '../parts/section.tsx';

/** Shows the conditions as sentences, with advice. */
export function ConditionList({
  conditions,
}: {
  readonly conditions: readonly ConditionLine[];
}): JSX.Element {
  return (
    <Section title="Conditions" count={conditions.length}>
      {conditions.length === 0 && <p class="muted">No controller has looked at it yet.</p>}
      <ul class="lines">
        {conditions.map((condition, index) => (
          <Line
            key={condition.type}
            condition={condition}
            first={conditions.findIndex(({ reason }) => reason === condition.reason) === index}
          />
        ))}
      </ul>
    </Section>
  );
}

/** Shows a condition. Only the first condition with a reason explains that reason. */
function Line(about: { readonly condition: ConditionLine; readonly first: boolean }): JSX.Element {
  const { condition, first } = about;
  const { type, status, reason, message, since, means, todo } = condition;
  return (
    <li>
      <p class="head">
        <b>
          {type} is {status}
        </b>
        <span class="tag">{reason}</span>
        <span class="muted age">
          <Age time={since} suffix=" ago" />
        </span>
      </p>
      <p>
        <LongText text={message} />
      </p>
      {first && means !== '' && (
        <p class="muted">
          <Prose text={means} />
          {todo !== undefined && (
            <>
              {' '}
              <Prose text={todo} />
            </>
          )}
        </p>
      )}
    </li>
  );
}
