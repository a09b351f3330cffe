import { type AlertCase, constant, OPERATOR, resources } from './alert-case.ts';

/** What such an alert looks for, and what it says of two of them. */
interface ByReason {
  readonly alert: string;
  readonly reason: string;
  readonly ready?: string;
  readonly atMinute: number;
  readonly kind?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** One that is near and is another alert's, or nobody's. */
  readonly other: string;
}

/** The case of an alert that counts resources by the reason that they show. */
export function byReason({
  alert,
  reason,
  ready,
  atMinute,
  kind = 'Deployment',
  labels = {},
  summary,
  other,
}: ByReason): AlertCase {
  return {
    alert,
    fires: {
      series: constant(2, resources(kind, reason, ready)),
      atMinute,
      labels: { ...OPERATOR, ...labels },
      summary,
    },
    quiet: [
      { series: constant(2, resources('Deployment', other, ready)), atMinute },
      { series: constant(0, resources(kind, reason, ready)), atMinute },
    ],
  };
}
