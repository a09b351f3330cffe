import { pathToFileURL } from 'node:url';
import { isAbsolute } from 'node:path';
import { defined } from '../../base/defined.ts';
import { type FileProblem, problemMessage } from '../../api/file-problem.ts';

/** The program that made the log. */
export interface SarifTool {
  readonly name: string;
  readonly version: string;
}

/** The rules of the results; code scanning groups results by rule. */
const RULES = {
  'manifest-error': 'What the API server or the controller would refuse.',
  'manifest-warning': 'What may be a mistake although nothing forbids it.',
} as const;

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * Returns problems as a SARIF 2.1.0 log, which code scanning services show beside the lines. Notes have no line, so
 * they belong to the run.
 */
export function sarifLog(
  problems: readonly FileProblem[],
  tool: SarifTool,
  notes: readonly string[] = [],
): object {
  const rules = Object.entries(RULES).map(([id, text]) => ({ id, shortDescription: { text } }));
  const run = {
    tool: { driver: { ...tool, semanticVersion: tool.version, rules } },
    // Columns count code units, as the YAML parser does.
    columnKind: 'utf16CodeUnits',
    results: problems.map(resultOf),
    ...(notes.length === 0 ? {} : { invocations: [invocationWith(notes)] }),
  };
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] };
}

function invocationWith(notes: readonly string[]): object {
  const toolExecutionNotifications = notes.map((text) => ({ level: 'note', message: { text } }));
  return { executionSuccessful: true, toolExecutionNotifications };
}

function resultOf(problem: FileProblem): object {
  const { file, line, column, severity, path } = problem;
  const region = line === undefined ? undefined : { startLine: line, ...defined({ startColumn: column }) };
  const logical = path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path }] };
  const physicalLocation = { artifactLocation: { uri: uriOf(file) }, ...defined({ region }) };
  return {
    ruleId: severity === 'error' ? 'manifest-error' : 'manifest-warning',
    ruleIndex: severity === 'error' ? 0 : 1,
    level: severity,
    message: { text: problemMessage(problem) },
    locations: [{ physicalLocation, ...logical }],
  };
}

/**
 * Returns a file as a URI. A relative path stays relative, since the reader of the log knows the root of the checkout.
 */
function uriOf(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  return file.replaceAll('\\', '/').replace(/^\.\//, '').split('/').map(encodeURIComponent).join('/');
}
