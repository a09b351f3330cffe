import { statSync } from 'node:fs';
import { ExpectedError } from '../model/expected-error.ts';
import { textForPeople } from '../model/text-for-people.ts';

/** No kubeconfig comes near it, with certificates of a thousand clusters in it. */
const MAX_BYTES = 8 * 1024 * 1024;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'this is a folder',
  EACCES: 'this user may not read the file',
  EFBIG: 'the file is too large, more than 8 MiB',
};

/** Throws for a file that is too large to be a kubeconfig, before it is read. */
export function refuseLargeFile(path: string): void {
  if (statSync(path).size <= MAX_BYTES) return;
  throw Object.assign(new Error('the file is too large'), { code: 'EFBIG', path });
}

/**
 * Why a kubeconfig cannot be read, and what to do. It repeats no line of it, as the parser does: that may be a token.
 * `file` is the one that was asked for, if one was.
 */
export function kubeConfigError(error: unknown, file: string | undefined): ExpectedError {
  return new ExpectedError(`kubeconfig: ${reasonOf(error, file)}`, { cause: error });
}

function reasonOf(error: unknown, file: string | undefined): string {
  if (!(error instanceof Error)) return textForPeople(String(error));
  const { code, path = file ?? '', mark } = error as ReadError;
  const unreadable = UNREADABLE[code ?? ''];
  if (unreadable !== undefined) {
    return `${unreadable}: ${path}; name another with --kubeconfig or KUBECONFIG`;
  }
  if (mark === undefined) return textForPeople(error.message);
  const place = [file, mark.line + 1, mark.column + 1].filter((part) => part !== undefined).join(':');
  return `${place}: this is not well-formed YAML; look for tabs, quotes and keys that stand twice`;
}

/** What errors of the file system and of the parser have besides their message. */
interface ReadError extends Error {
  readonly code?: string;
  readonly path?: string;
  /** Counted from 0. */
  readonly mark?: { readonly line: number; readonly column: number };
}
