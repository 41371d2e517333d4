/** Texts of Go's errors where libuv says it in other words; the rest are the same. */
const GO_TEXTS = new Map([
  ['EACCES', 'permission denied'],
  ['EISDIR', 'is a directory'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'not a directory'],
  ['EEXIST', 'file exists'],
  ['ELOOP', 'too many levels of symbolic links'],
  ['EINVAL', 'invalid argument'],
  ['EIO', 'input/output error'],
  ['EMFILE', 'too many open files'],
  ['ENAMETOOLONG', 'file name too long'],
  ['ENOSPC', 'no space left on device'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EROFS', 'read-only file system'],
  ['ENOTEMPTY', 'directory not empty'],
  ['ENXIO', 'no such device or address'],
  ['EBUSY', 'device or resource busy'],
]);

/**
 * A failed file operation as axe tells it: `open /x: permission denied`, with the operating system's `code`
 * (axe-behaviour §10, transcript 11).
 */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly operation: string;
  readonly code: string;
  /** What went wrong, without the operation and the path. */
  readonly reason: string;

  constructor(operation: string, path: string, code: string, text = GO_TEXTS.get(code)) {
    const reason = text ?? code;
    super(`${operation} ${path}: ${reason}`);
    this.reason = reason;
    this.operation = operation;
    this.code = code;
  }
}

/** The code of an operating system's error, if that is what was thrown. */
export function errorCode(thrown: unknown): string | undefined {
  return stringOf(thrown, 'code');
}

/** Whatever an operation threw, in axe's form. */
export function fileError(operation: string, path: string, thrown: unknown): FileError {
  if (thrown instanceof FileError) return thrown;
  const code = errorCode(thrown);
  if (code === undefined) return new FileError(operation, path, 'EIO', String(thrown));
  const libuvText = /^[A-Z0-9]+: ([^,]+)/.exec(stringOf(thrown, 'message') ?? '')?.[1];
  return new FileError(operation, path, code, GO_TEXTS.get(code) ?? libuvText);
}

/** Asked without `instanceof`: an error of the file system may come from another realm. */
function stringOf(thrown: unknown, key: 'code' | 'message'): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const value: unknown = Reflect.get(thrown, key);
  return typeof value === 'string' ? value : undefined;
}
