import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileProblem } from '../../src/api/file-problem.ts';
import { run } from '../cli/support/terminal.ts';
import { SAMPLES } from './corpus.ts';

/** Returns the place of a problem: its path, or its line if it has no path. */
function placeOf({ path, line }: FileProblem): string | undefined {
  return path === '' && line !== undefined ? `line ${line}` : path || undefined;
}

describe('the corpus', () => {
  it('has many files, each about a different case and named after it', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(150);
    expect(new Set(SAMPLES.map(({ name }) => name)).size).toBe(SAMPLES.length);
    for (const { name, file } of SAMPLES) {
      const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
      expect(`${slug}.yaml`).toBe(basename(file));
    }
  });

  it.each(SAMPLES)(
    '$name: validate reports the result, and the place',
    async ({ file, accepted, wrongAt }) => {
      const { out, code } = await run(['validate', '-f', file, '-o', 'json']);
      const { problems } = JSON.parse(out) as { problems: readonly FileProblem[] };
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect({ code, errors }).toMatchObject({ code: accepted ? 0 : 1 });
      if (accepted) expect(errors).toEqual([]);
      else expect(errors.map(placeOf)).toContain(wrongAt);
    },
  );
});
