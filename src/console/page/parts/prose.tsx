import type { JSX } from 'preact';

/** A sentence of our own documentation, in which backticks mark what is written word for word. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}
