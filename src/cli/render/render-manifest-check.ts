import { type FileProblem, problemMessage, problemText } from '../../api/file-problem.ts';
import { countText, inOneLine } from '../../base/text-for-people.ts';
import { errorsIn, type ManifestCheck } from '../../views/manifests/manifest-check.ts';
import type { ValidateDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument, renderJson } from './render-data.ts';
import { sarifLog, type SarifTool } from './sarif-log.ts';

type CheckFormat = 'text' | 'json' | 'github' | 'sarif';

/**
 * Renders the result of a check of manifests; `tool` is the program that checked them. Pure; ends with a line break.
 */
export function renderManifestCheck(check: ManifestCheck, format: CheckFormat, tool: SarifTool): string {
  const notes = noteOf(check);
  switch (format) {
    case 'text':
      return lines([
        ...check.problems.map(problemText),
        summary(check),
        ...notes.map((note) => `note: ${note}`),
      ]);
    case 'json':
      return renderDocument(
        { ok: errorsIn(check) === 0, ...check } satisfies BodyOf<ValidateDocument>,
        'json',
      );
    case 'sarif':
      return renderJson(sarifLog(check.problems, tool, notes));
    case 'github':
      return lines([
        ...check.problems.map(annotation),
        summary(check),
        ...notes.map((note) => `::notice::${escaped(note)}`),
      ]);
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((line) => `${line}\n`).join('');
}

function summary(check: ManifestCheck): string {
  const errors = errorsIn(check);
  const parts = [
    countText(check.usable, 'valid document'),
    countText(errors, 'error'),
    countText(check.problems.length - errors, 'warning'),
    ...(check.ignored === 0 ? [] : [`${countText(check.ignored, 'document')} of other kinds ignored`]),
  ];
  return parts.join(', ');
}

/**
 * Returns one line about objects that are probably kept elsewhere. Returns none beside errors, since a document with an
 * error may declare such an object.
 */
function noteOf(check: ManifestCheck): readonly string[] {
  const { undeclared } = check;
  if (undeclared.length === 0 || errorsIn(check) > 0) return [];
  const parts = [...Map.groupBy(undeclared, ({ kind }) => kind)].map(([kind, [first, ...others]]) =>
    first !== undefined && others.length === 0
      ? `${kind} ${[first.namespace, first.name].filter((part) => part !== '').join('/')}`
      : countText(others.length + 1, kind),
  );
  return [`named, but declared by no document here: ${parts.join(', ')}`];
}

/** Returns a workflow command, which GitHub shows beside the line. */
function annotation(problem: FileProblem): string {
  const { file, line, column, severity } = problem;
  const properties = Object.entries({ file, line, col: column }).filter(([, value]) => value !== undefined);
  const text = properties
    .map(([name, value]) => `${name}=${escapedProperty(inOneLine(String(value)))}`)
    .join(',');
  return `::${severity} ${text}::${escaped(inOneLine(problemMessage(problem)))}`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
