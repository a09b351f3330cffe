import { describe, expect, it } from 'vitest';
import { renderTable, renderWhole } from '../../../src/cli/render/render-table.ts';

const table = {
  header: ['NAME', 'READY', 'MESSAGE'],
  rows: [
    ['support-agent', 'True', 'the newest revision is active'],
    ['docs', 'False', 'waits'],
  ],
};

describe('a table', () => {
  it('is as wide as its content if there is room', () => {
    expect(renderTable(table)).toBe(
      'NAME           READY  MESSAGE\nsupport-agent  True   the newest revision is active\ndocs           False  waits\n',
    );
  });

  it('is printed row by row and whole if it does not fit and nothing may be cut off', () => {
    expect(renderWhole(table, 60)).toBe(renderTable(table));
    expect(renderWhole(table, 40)).toBe(
      'support-agent\n  READY    True\n  MESSAGE  the newest revision is active\ndocs\n  READY    False\n  MESSAGE  waits\n',
    );
  });

  it('narrows the widest column first if there is no room', () => {
    expect(renderTable(table, 40)).toBe(
      'NAME           READY  MESSAGE\nsupport-agent  True   the newest revisi…\ndocs           False  waits\n',
    );
  });

  it('cuts a word in its middle, and keeps the tag of an image', () => {
    const image = 'images.example.com/team/support-agent:2026.11.23';
    const names = { header: ['NAME', 'IMAGE'], rows: [['support-agent-of-team-a', image]] };
    expect(renderTable(names, 32).split('\n')[1]).toBe('support…-team-a  ima…:2026.11.23');
    expect(renderTable({ header: ['X'], rows: [[image]] }, 8)).toBe('X\nima…1.23\n');
  });

  it.each([10, 20, 30, 33, 40, 52])(
    'fits %i columns, or shows at least eight characters of each',
    (columns) => {
      const widths = renderTable(table, columns)
        .split('\n')
        .map((line) => line.length);
      expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 8 + 2 + 5 + 2 + 8));
    },
  );

  it('keeps characters whole and columns aligned', () => {
    expect(
      renderTable({
        header: ['A', 'B'],
        rows: [
          ['👩‍💻👩‍💻', 'x'],
          ['ab', 'y'],
        ],
      }),
    ).toBe('A   B\n👩‍💻👩‍💻  x\nab  y\n');
  });

  it('contains nothing that a terminal would act on', () => {
    expect(renderTable({ header: ['A', 'B'], rows: [['\u001b[2Jx\ny', '']] })).toBe('A       B\n[2Jx y\n');
  });

  it('has empty cells if a row is short, and only a header if there are no rows', () => {
    expect(renderTable({ header: ['A', 'B'], rows: [['x']] })).toBe('A  B\nx\n');
    expect(renderTable({ header: ['A', 'B'], rows: [] })).toBe('A  B\n');
  });
});
