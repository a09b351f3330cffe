import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Alert, runbookFile } from '../../scripts/monitoring/rules.ts';
import { CONNECTION_REASONS, ROLLOUT_REASONS, SYNCED_REASONS } from '../../src/api/condition.ts';
import { ROOT, textOf } from '../docs/support.ts';
import { selectorsIn } from './support/promql.ts';
import { ALERTS } from './support/shipped.ts';

const SECTIONS = ['Meaning', 'Impact', 'Look', 'Do', 'Ends'];
const pageOf = (alert: Alert): string => `docs/runbooks/${runbookFile(alert)}`;

/** Returns the reasons that an alert selects. */
function reasonsOf({ expr }: Alert): readonly string[] {
  return [...expr.matchAll(/reason=~?"([^"]*)"/g)].flatMap(([, reasons = '']) => reasons.split('|'));
}

test('each alert has a runbook, and there are no others', () => {
  const files = readdirSync(join(ROOT, 'docs', 'runbooks')).filter((file) => file !== 'README.md');
  expect(files.toSorted()).toEqual(ALERTS.map(runbookFile).toSorted());
});

describe.each(ALERTS)('the runbook of $alert', (alert) => {
  const text = textOf(pageOf(alert));

  test('has the name of the alert, and answers every question of the person on call', () => {
    expect(text.split('\n')[0]).toBe(`# ${alert.alert}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(SECTIONS);
    expect(text).toContain(alert.labels.severity);
  });

  test('shows a command or a query for the diagnosis', () => {
    const look = text.split(/^## (?:Look|Do)$/m)[1] ?? '';
    expect(look).toMatch(/^```(?:console\n\$ |promql\n)/m);
  });

  test('names only existing reasons', () => {
    const known = new Set<string>([...SYNCED_REASONS, ...ROLLOUT_REASONS, ...CONNECTION_REASONS]);
    const like = [...text.matchAll(/reason[s]? `(\w+)`/g)].map(([, word = '']) => word);
    expect(like.filter((word) => !known.has(word))).toEqual([]);
  });

  test('names the subject of its alert', () => {
    const few = reasonsOf(alert).length <= 3 && !alert.expr.includes('unless');
    const words = few ? reasonsOf(alert) : [];
    expect(words.filter((word) => !text.includes(word))).toEqual([]);
    expect(selectorsIn(alert.expr)).not.toEqual([]);
  });
});
