/** A change that sets an annotation or, with null, removes it. */
export interface AnnotationChange {
  readonly name: string;
  readonly value: string | null;
}
