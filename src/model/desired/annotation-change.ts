/** One annotation, set or, with null, removed. */
export interface AnnotationChange {
  readonly name: string;
  readonly value: string | null;
}
