import { type ManifestCheck, checkManifests } from '../../compose/session/manifests.ts';
import { VERSION } from '../../compose/operator/version.ts';
import { type FileProblem, problemMessage, problemText } from '../../api/file-problem.ts';
import { inOneLine } from '../../base/text-for-people.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { countText } from '../render/render.ts';
import { sarifLog } from '../render/sarif.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ValidateOptions } from '../words/validate.ts';
import type { ValidateDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument, renderJson } from '../render/render-data.ts';

/** Checks manifests offline and prints what is wrong with them; fails when there is an error, or nothing to check. */
export async function validateCommand(options: ValidateOptions, terminal: Terminal): Promise<ExitCode> {
  const found = await checkManifests(options.filename, terminal.readStdin);
  const check = found.usable === 0 && errorsIn(found) === 0 ? nothingToCheck(options, found) : found;
  terminal.out(REPORTS[options.output](check));
  return errorsIn(check) === 0 ? EXIT.ok : EXIT.failed;
}

function nothingToCheck({ filename }: ValidateOptions, check: ManifestCheck): ManifestCheck {
  const message = 'there are no manifests of dms-operator here';
  const problem: FileProblem = {
    file: filename.join(' '),
    path: '',
    message,
    expected: 'at least one',
    severity: 'error',
  };
  return { ...check, problems: [...check.problems, problem] };
}

const TOOL = { name: 'dms-operator', version: VERSION };

const REPORTS: Readonly<Record<ValidateOptions['output'], (check: ManifestCheck) => string>> = {
  text: (check) =>
    lines([
      ...check.problems.map(problemText),
      summary(check),
      ...noteOf(check).map((note) => `note: ${note}`),
    ]),
  json: (check) => renderDocument(documentOf(check), 'json'),
  sarif: (check) => renderJson(sarifLog(check.problems, TOOL, noteOf(check))),
  github: (check) =>
    lines([
      ...check.problems.map(annotation),
      summary(check),
      ...noteOf(check).map((note) => `::notice::${escaped(note)}`),
    ]),
};

function documentOf(check: ManifestCheck): BodyOf<ValidateDocument> {
  return { ok: errorsIn(check) === 0, ...check };
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
 * One line about what is probably kept elsewhere. A document with an error may be what is named, so errors come
 * first.
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

/** A workflow command that GitHub shows beside the line. */
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

function errorsIn({ problems }: ManifestCheck): number {
  return problems.filter(({ severity }) => severity === 'error').length;
}
