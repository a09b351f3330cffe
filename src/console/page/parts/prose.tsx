import type { JSX } from 'preact';

/** Shows a sentence of this project's documentation, in which backticks mark code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}
