import { statSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { ExpectedError } from '../../base/expected-error.ts';
import { textForPeople } from '../../base/text-for-people.ts';

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

/** Describes the fault of a kubeconfig in one line; names in it may have any length. */
export function badKubeConfig(problem: string, options?: ErrorOptions): ExpectedError {
  return new ExpectedError(`kubeconfig: ${textForPeople(problem)}`, options);
}

/**
 * Throws where the current context or its cluster has something other than a text: YAML reads `namespace: 2026` as a
 * number, and client-node checks nothing of what a file holds.
 */
export function refuseOtherThanTexts(config: KubeConfig): void {
  const name = config.getCurrentContext();
  const { server, proxyUrl = '' } = config.getCurrentCluster() ?? {};
  const { namespace = '' } = config.getContextObject(name) ?? {};
  for (const [what, value] of Object.entries({ name, server, 'proxy-url': proxyUrl, namespace })) {
    if (typeof value === 'string') continue;
    throw badKubeConfig(`the ${what} of the current context is no text; put it in quotes`);
  }
}

/**
 * Why a kubeconfig cannot be read, and what to do. It repeats no line of it, as the parser does: that may be a token.
 * `file` is the one that was asked for, if one was.
 */
export function kubeConfigError(error: unknown, file: string | undefined): ExpectedError {
  return badKubeConfig(reasonOf(error, file), { cause: error });
}

function reasonOf(error: unknown, file: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path = file ?? '', mark } = error as ReadError;
  const unreadable = UNREADABLE[code ?? ''];
  if (unreadable !== undefined) {
    return `${unreadable}: ${path}; name another with --kubeconfig or KUBECONFIG`;
  }
  if (mark === undefined) return error.message;
  const place = [file, mark.line + 1, mark.column + 1].filter((part) => part !== undefined).join(':');
  return `${place}: this is not well-formed YAML; look for tabs, quotes and keys that stand twice`;
}

/** The members that errors of the file system and of the parser have besides their message. */
interface ReadError extends Error {
  readonly code?: string;
  readonly path?: string;
  /** Counted from 0. */
  readonly mark?: { readonly line: number; readonly column: number };
}
