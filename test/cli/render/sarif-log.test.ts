import { describe, expect, it } from 'vitest';
import { sarifLog } from '../../../src/cli/render/sarif-log.ts';
import type { FileProblem } from '../../../src/api/file-problem.ts';

const TOOL = { name: 'dms-operator', version: '1.2.3' };

/** The parts of a log that its schema requires or that code scanning services read. */
interface Log {
  readonly version: string;
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly name: string; readonly rules: readonly { id: string }[] };
      };
      readonly results: readonly Result[];
    },
  ];
}

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly [
    {
      readonly physicalLocation: {
        readonly artifactLocation: { readonly uri: string };
        readonly region?: { readonly startLine: number; readonly startColumn?: number };
      };
      readonly logicalLocations?: readonly { readonly fullyQualifiedName: string }[];
    },
  ];
}

const problem: FileProblem = {
  ...{ file: 'a/b.yaml', line: 3, column: 5, path: 'spec.source', severity: 'error' },
  ...{ message: 'is missing', expected: 'one of a, b' },
};

function logOf(...problems: readonly FileProblem[]): Log {
  return JSON.parse(JSON.stringify(sarifLog(problems, TOOL))) as Log;
}

describe('a SARIF log', () => {
  it('has the version, one run, and a result with its place for each problem', () => {
    const log = logOf(problem);
    expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: TOOL } }] });
    expect(log.runs[0].results).toEqual([
      {
        ruleId: 'manifest-error',
        ruleIndex: 0,
        level: 'error',
        message: { text: 'spec.source: is missing; expected one of a, b' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'a/b.yaml' },
              region: { startLine: 3, startColumn: 5 },
            },
            logicalLocations: [{ fullyQualifiedName: 'spec.source' }],
          },
        ],
      },
    ]);
  });

  it('exists without results if nothing is wrong', () => {
    expect(logOf().runs[0].results).toEqual([]);
  });

  it('points from each result to its rule', () => {
    const { tool, results } = logOf(problem, { ...problem, severity: 'warning' }).runs[0];
    expect(results.map(({ level }) => level)).toEqual(['error', 'warning']);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  });

  it('has no region if a problem concerns the file as a whole', () => {
    const { line: _, column: __, ...whole } = { ...problem, path: '' };
    expect(logOf(whole).runs[0].results[0]?.locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: 'a/b.yaml' } } },
    ]);
  });

  it.each([
    { file: './a b/100%.yaml', uri: 'a%20b/100%25.yaml' },
    { file: '/tmp/a#b.yaml', uri: 'file:///tmp/a%23b.yaml' },
    { file: '-', uri: '-' },
  ])('names files by their URI: $file', ({ file, uri }) => {
    const [result] = logOf({ ...problem, file }).runs[0].results;
    expect(result?.locations[0].physicalLocation.artifactLocation.uri).toBe(uri);
  });
});
