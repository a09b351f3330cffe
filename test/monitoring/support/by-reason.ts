import { type AlertCase, constant, OPERATOR, resources } from './alert-case.ts';

/** The selection of such an alert, and its texts for two resources. */
interface ByReason {
  readonly alert: string;
  readonly reason: string;
  readonly ready?: string;
  readonly atMinute: number;
  readonly kind?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** A similar reason that belongs to another alert, or to none. */
  readonly other: string;
}

/** Returns the case of an alert that counts resources by reason. */
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
