import { messageOf } from '../../lib/errors.js';
import type { SaveFailure, StorageFailure } from '../store.js';

/** What an error of the file system means for whoever saves. */
export function failureOf(thrown: unknown): SaveFailure {
  const code = codeOf(thrown) ?? '';
  if (DENIED.has(code)) return 'denied';
  return code === 'ELOOP' ? 'refused' : 'error';
}

/** The operation of the file system that failed, as `FileError` names it; undefined for an error of another kind. */
export function operationOf(thrown: unknown): string | undefined {
  return stringOf(thrown, 'operation');
}

/** The operation that failed in the words of memory-tools 2.2; undefined for an error of another kind. */
export function storageFailure(thrown: unknown): StorageFailure | undefined {
  const operation = OPERATIONS.get(operationOf(thrown) ?? '');
  return operation === undefined ? undefined : { operation, cause: messageOf(thrown) };
}

/** The operating system's code of an error. */
export function codeOf(thrown: unknown): string | undefined {
  return stringOf(thrown, 'code');
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['mkdir', 'create memory directory'],
  ['open', 'open memory file for appending'],
  ['read', 'read memory file'],
  ['write', 'write to memory file'],
  ['sync', 'write to memory file'],
  ['chmod', 'set mode of memory file'],
  ['rename', 'replace memory file'],
  ['remove', 'remove memory file'],
  ['lstat', 'get file metadata'],
  ['stat', 'get file metadata'],
]);

function stringOf(thrown: unknown, key: 'code' | 'operation'): string | undefined {
  const value: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}
