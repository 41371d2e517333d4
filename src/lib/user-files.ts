import { spawnSync } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { AxeError, ConfigError, messageOf } from './errors.js';
import { createFiles, errorCode, FileError, fileError } from './files.js';

/**
 * Reads a small file that the user named; `what` names it in errors (`event file`, `prompt file`).
 * Throws a ConfigError.
 */
export async function readTextFile(
  path: string,
  { what, remedy }: { readonly what: string; readonly remedy: string },
): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (thrown) {
    const reason = thrown instanceof FileError ? thrown.reason : messageOf(thrown);
    throw new ConfigError(`cannot read the ${what} ${path}: ${reason}`, { remedy, cause: thrown });
  }
}

/** Reads a regular file only: a FIFO or a device could block forever. Throws a FileError. */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await createFiles().open(path, { followLinks: true });
  if (file === undefined) throw new FileError('open', path, 'ENOENT');
  try {
    return Buffer.from(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}

/** Reads config.toml; undefined if there is none. Throws a ConfigError in axe's words. */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    const message = `failed to read config file: ${messageOf(thrown)}`;
    throw new ConfigError(message, { at: { file: path }, cause: thrown });
  }
}

/** The sorted names in a folder; empty if it cannot be read. */
export async function listFolder(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(() => [])).sort();
}

/** True too if the path cannot be examined; reading it then reports the error. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOENT' && errorCode(thrown) !== 'ENOTDIR';
  }
}

export interface NewFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly content: string;
  /** Permission bits, for files that will hold keys. */
  readonly mode?: number;
}

/**
 * Creates the files that do not exist yet and returns their paths; never overwrites one. Throws an
 * AxeError if a folder or file cannot be created.
 */
export async function createMissingFiles(
  folder: string,
  files: readonly NewFile[],
): Promise<readonly string[]> {
  const created: string[] = [];
  for (const { path, content, mode } of files) {
    const target = join(folder, path);
    await createFolder(dirname(target));
    try {
      await writeFile(target, content, { flag: 'wx', mode });
      created.push(target);
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw await notCreated('open', target, thrown);
    }
  }
  return created;
}

/** Creates a folder and those above it, unless it exists. Throws an AxeError. */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (thrown) {
    throw await notCreated('mkdir', path, thrown);
  }
}

async function notCreated(operation: string, path: string, thrown: unknown): Promise<AxeError> {
  const { message, code } = fileError(operation, path, thrown);
  const place = await nearestExisting(operation === 'mkdir' ? path : dirname(path));
  return new AxeError(`failed to create the configuration: ${message}`, {
    remedy: await remedyFor(code, place),
    cause: thrown,
  });
}

/** Node reports a missing folder where one cannot be created on a read-only file system. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);

async function remedyFor(code: string, place: string): Promise<string | undefined> {
  if (!(await isFolder(place)))
    return `A file is where a folder is needed: rename or remove ${place}.`;
  return NOT_WRITABLE.has(code)
    ? `Make ${place} writable, or run the command where you can write.`
    : undefined;
}

/** The path, or the nearest one above it that exists, also as a link to nothing. */
async function nearestExisting(path: string): Promise<string> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  return exists || path === dirname(path) ? path : nearestExisting(dirname(path));
}

/**
 * Reads standard input to its end. As in axe, a terminal, `/dev/null` and a closed descriptor count
 * as empty. Waits for a pipe that nobody closes until the signal aborts, and throws its reason.
 * Throws an AxeError if reading fails.
 */
export async function readStdin(
  stdin: Readable & { readonly fd?: number },
  signal: AbortSignal,
): Promise<string> {
  if (!hasInput(stdin.fd ?? 0)) return '';

  const chunks: Buffer[] = [];
  signal.addEventListener('abort', () => stdin.destroy(new Error('stopped')), { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } catch (thrown) {
    signal.throwIfAborted();
    const { message } = fileError('read', '/dev/stdin', thrown);
    throw new AxeError(`failed to read stdin: ${message}`, { cause: thrown });
  }
  return Buffer.concat(chunks).toString('utf8');
}

function hasInput(fd: number): boolean {
  try {
    return !fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

/**
 * Opens a file in the user's editor and waits until it is closed. Throws an AxeError if the editor
 * fails.
 */
export function openEditor(editor: string, file: string): void {
  const [program = editor, ...args] = editor.trim().split(/\s+/);
  // Ctrl-C and Ctrl-\ are the editor's own: the terminal sends them to it, too.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, () => undefined);
  const { error, status, signal } = spawnSync(program, [...args, file], { stdio: 'inherit' });
  if (error !== undefined)
    throw new AxeError(`cannot start the editor "${program}": ${error.message}`);
  if (signal !== null) throw new AxeError(`the editor was ended by ${signal}`);
  if (status !== 0) throw new AxeError(`the editor ended with status ${status}`);
}

/**
 * The absolute path of something that an input or an agent names in a workflow; `what` names it in
 * errors (`the input \`agents-dir\``). It does not have to exist. Throws a ConfigError unless the
 * path is inside the workspace, both as written and with every link followed.
 */
export async function resolveInside(
  workspace: string,
  { path, what }: { readonly path: string; readonly what: string },
): Promise<string> {
  const absolute = resolve(workspace, path);
  if (!/\0/.test(path) && !(await leadsOut(absolute, workspace))) return absolute;
  const shown = JSON.stringify(displayPath(workspace, path));
  throw new ConfigError(`${what} leads out of the workspace: ${shown}`, {
    remedy: 'In a workflow, use a path inside the repository, and not a link that leads out of it.',
  });
}

/**
 * True if a path is outside of a folder, as written or through a link. A broken link counts as
 * outside, or links would reveal which paths exist outside. Both paths are absolute.
 */
async function leadsOut(path: string, folder: string): Promise<boolean> {
  if (!isInside(folder, path)) return true;

  const root = await realpath(folder).catch(() => folder);
  for (let ancestor = path; relative(folder, ancestor) !== ''; ancestor = dirname(ancestor)) {
    if ((await lstat(ancestor).catch(() => undefined)) === undefined) continue;
    const real = await realpath(ancestor).catch(() => undefined);
    return real === undefined || !isInside(root, real);
  }
  return false;
}

/** True for the folder itself too. Both paths are absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A path for people and annotations: relative to the current folder if it is below it. */
export function displayPath(cwd: string, path: string): string {
  return path !== cwd && isInside(cwd, path) ? relative(cwd, path) : path;
}
