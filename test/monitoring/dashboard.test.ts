import { describe, expect, test } from 'vitest';
import { DASHBOARD, PANELS, QUERIES } from './support/shipped.ts';

const COLUMNS = 24;
/** The length limit of a title, in a panel of eight columns on a screen of 1280 pixels. */
const LONGEST_TITLE = 40;

describe('the dashboard', () => {
  test('has a title, a description, a unit and a query in every panel', () => {
    for (const { title, description, fieldConfig, targets } of PANELS) {
      expect(title.length, title).toBeLessThanOrEqual(LONGEST_TITLE);
      expect(description, title).toMatch(/^[^]{20,}\.$/);
      expect(fieldConfig?.defaults.unit, title).toMatch(/^\w+$/);
      expect(targets, title).not.toEqual([]);
    }
  });

  test('labels every line by its distinguishing labels', () => {
    for (const { title, type, targets = [] } of PANELS) {
      if (type === 'table') continue;
      const legends = targets.map(({ legendFormat }) => legendFormat);
      expect(legends, title).not.toContain('');
      expect(new Set(legends).size, title).toBe(legends.length);
    }
  });

  test('gives every panel a unique id and place', () => {
    const all = DASHBOARD.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const cells = all.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  test('leaves no gap beside a panel', () => {
    const widths = Map.groupBy(PANELS, ({ gridPos }) => gridPos.y);
    const lines = [...widths.values()].map((line) => line.reduce((sum, { gridPos }) => sum + gridPos.w, 0));
    expect(new Set(lines)).toEqual(new Set([COLUMNS]));
  });

  test('defines every variable that it uses, and uses every variable that it defines', () => {
    const { templating } = DASHBOARD;
    const text = JSON.stringify(DASHBOARD);
    const used = [...text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)].map(
      ([, braced, plain]) => braced ?? plain ?? '',
    );
    const own = used.filter((name) => !name.startsWith('__'));
    expect([...new Set(own)].toSorted()).toEqual(templating.list.map(({ name }) => name).toSorted());
  });

  test('contains no duplicate query', () => {
    expect(QUERIES.filter((query, index) => QUERIES.indexOf(query) !== index)).toEqual([]);
  });
});
