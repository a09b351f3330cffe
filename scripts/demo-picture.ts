import { terminalPicture, type Tone, type Words } from './terminal-picture.ts';

const COLUMNS = 121;

/** The columns of the event and of its text in the output of the demo. */
const WHAT_COLUMN = 18;
const TEXT_COLUMN = 35;

/** The tone of an event; all other events are good news. */
const TONE_OF: Readonly<Record<string, Tone>> = {
  plan: 'ours',
  PATCH: 'service',
  DriftDetected: 'warning',
};

/** The picture of what `demo` printed: ids and addresses shortened, long lines cut, nothing left out. */
export function demoPicture(recording: string): string {
  const lines = recording.trimEnd().split('\n').map(shortened);
  return terminalPicture(
    'What dms-operator demo prints: two deployments are bound and brought in line, an image is changed, drift is corrected, a token is rotated',
    COLUMNS,
    lines.map((line, index) => wordsOf(line, lines[index - 1] ?? '')),
  );
}

function wordsOf(line: string, before: string): readonly Words[] {
  if (line === '') return [];
  if (/^\d\. /.test(line)) return [{ column: 0, text: line, tone: 'heading' }];
  if (/^\d\. /.test(before)) return [{ column: 3, text: cut(line.trim(), 3), tone: 'dim' }];
  if (!line.startsWith('   '))
    return [{ column: 0, text: cut(line, 0), tone: /^[A-Z]{4}/.test(line) ? 'dim' : 'plain' }];
  const what = line.slice(WHAT_COLUMN, TEXT_COLUMN).trim();
  return [
    { column: 3, text: line.slice(3, WHAT_COLUMN).trim(), tone: 'plain' },
    { column: WHAT_COLUMN, text: what, tone: TONE_OF[what] ?? 'good' },
    { column: TEXT_COLUMN, text: cut(line.slice(TEXT_COLUMN), TEXT_COLUMN), tone: 'plain' },
  ];
}

function shortened(line: string): string {
  return line
    .replaceAll(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22,}/g, '$1…')
    .replaceAll(/\/v2\/deployments\/\S+… /g, '')
    .replaceAll('registry.example.com/', '…/');
}

function cut(text: string, column: number): string {
  const room = COLUMNS - column;
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}
