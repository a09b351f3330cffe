import type { Panel, Query, Row } from './panel.ts';

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const DEFAULT_WIDTH = 8;

/** Something that Grafana reads. */
export type Json = Readonly<Record<string, unknown>>;

/** The panels of a dashboard as Grafana has them: rows below each other, their panels from left to right. */
export function grafanaPanels(rows: readonly Row[]): readonly Json[] {
  const placed = new Layout();
  return rows.flatMap((row) => {
    const head = { ...placed.heading(row.title), collapsed: row.folded === true };
    const panels = row.panels.map((panel) => ({ ...placed.panel(panel), ...drawn(panel) }));
    // The panels of a folded row are inside the row.
    return row.folded === true ? [{ ...head, panels }] : [{ ...head, panels: [] }, ...panels];
  });
}

/** Gives ids and places. */
class Layout {
  #id = 0;
  #x = 0;
  #y = 0;
  #tallest = 0;

  heading(title: string): Json {
    this.#newLine();
    const place = { h: 1, w: COLUMNS, x: 0, y: this.#y };
    this.#y += 1;
    return { id: this.#nextID(), type: 'row', title, gridPos: place };
  }

  panel({ kind, width = DEFAULT_WIDTH }: Panel): Json {
    const height = kind === 'number' ? 4 : 8;
    if (this.#x + width > COLUMNS) this.#newLine();
    const place = { h: height, w: width, x: this.#x, y: this.#y };
    this.#x += width;
    this.#tallest = Math.max(this.#tallest, height);
    return { id: this.#nextID(), gridPos: place };
  }

  #newLine(): void {
    this.#y += this.#tallest;
    this.#x = 0;
    this.#tallest = 0;
  }

  #nextID(): number {
    this.#id += 1;
    return this.#id;
  }
}

function drawn(panel: Panel): Json {
  const { title, description, kind, queries } = panel;
  const targets = queries.map((query, index) => target(query, index, kind));
  return { title, description, datasource: SOURCE, targets, ...look(panel) };
}

function target({ expr, legend }: Query, index: number, kind: Panel['kind']): Json {
  const newest = kind === 'number' || kind === 'table';
  return {
    refId: 'ABCDEF'.charAt(index),
    datasource: SOURCE,
    expr,
    ...(kind === 'table' ? { format: 'table' } : { legendFormat: legend }),
    ...(newest ? { instant: true, range: false } : { range: true }),
  };
}

/** Returns the options that depend on the form of the panel. */
function look(panel: Panel): Json {
  switch (panel.kind) {
    case 'lines':
    case 'areas':
      return overTime(panel);
    case 'number':
      return {
        type: 'stat',
        fieldConfig: fields(panel, { noValue: '–' }),
        options: {
          ...{ colorMode: panel.steps === undefined ? 'none' : 'value', graphMode: 'none', textMode: 'auto' },
          reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        },
      };
    case 'states':
      return {
        type: 'state-timeline',
        fieldConfig: fields(panel, { custom: { fillOpacity: 70, lineWidth: 0 } }),
        options: {
          mergeValues: true,
          showValue: 'auto',
          legend: { showLegend: false },
          tooltip: { mode: 'single' },
        },
      };
    case 'table':
      return {
        type: 'table',
        fieldConfig: fields(panel, { noValue: '–' }),
        options: { showHeader: true, cellHeight: 'sm' },
        transformations: chosenColumns(panel.columns ?? {}),
      };
  }
}

function overTime(panel: Panel): Json {
  const stacked = panel.kind === 'areas';
  const custom = {
    ...{ drawStyle: 'line', lineWidth: 1, showPoints: 'never', fillOpacity: stacked ? 40 : 0 },
    stacking: { group: 'A', mode: stacked ? 'normal' : 'none' },
  };
  return {
    type: 'timeseries',
    fieldConfig: fields(panel, { min: 0, custom }),
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

function fields({ unit, steps, words }: Panel, more: Json): Json {
  const [first, ...others] = steps ?? [];
  const thresholds = {
    mode: 'absolute',
    steps: [
      { color: first?.color ?? 'green', value: null },
      ...others.map(({ color, from }) => ({ color, value: from })),
    ],
  };
  const colour = steps === undefined ? 'palette-classic' : 'thresholds';
  const mappings =
    words === undefined
      ? []
      : [
          {
            type: 'value',
            options: Object.fromEntries(
              Object.entries(words).map(([value, text], index) => [value, { text, index }]),
            ),
          },
        ];
  return { defaults: { unit, color: { mode: colour }, thresholds, mappings, ...more }, overrides: [] };
}

/** Leaves the named columns, in order and under their heads. */
function chosenColumns(columns: Readonly<Record<string, string>>): readonly Json[] {
  const names = Object.keys(columns);
  return [
    { id: 'filterFieldsByName', options: { include: { names } } },
    {
      id: 'organize',
      options: {
        indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
        renameByName: columns,
      },
    },
  ];
}
