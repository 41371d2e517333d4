import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { MAX_CONTEXT_BYTES } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import { createFiles, errorCode, fileError, type OpenFile } from '../lib/files.js';
import { BINARY_CHECK_BYTES, compareBytes, isBinary } from '../lib/text/bytes.js';
import { formatInteger } from '../lib/text/format.js';
import { type CompiledPattern, compileGlob } from '../lib/text/glob.js';
import { displayPath, isInside, readRegularFile, resolveInside } from '../lib/user-files.js';
import { isSecretPath } from '../safety/path-rules.js';
import type { AgentPlace, AgentReader, FoundFile } from './agent-source.js';
import { type ContextBudget, type ContextFile, createContextBudget } from './context-files.js';

interface DiskOptions {
  readonly cwd: string;
  /** Folders of agents relative to `cwd`, in the order in which they are searched. */
  readonly dirs: readonly string[];
  /**
   * axe's configuration folder, whose `agents` are searched last. Its links are the user's own and
   * can lead anywhere.
   */
  readonly configDir?: string;
  /** Everything must be in `cwd` after links are followed, as in a workflow. */
  readonly isConfined?: boolean;
  /** Folders of memory relative to `cwd`. No link makes memory a skill or a context file. */
  readonly memoryRoots?: readonly string[];
  /** Receives the path of every agent and skill that is read, absolute and without links. */
  readonly onRead?: (file: string) => void;
}

/** Reads agents, skills and context files on this machine. */
export function diskPlace({ cwd, dirs, configDir: config, ...options }: DiskOptions): AgentPlace {
  const { isConfined = false, memoryRoots = [], onRead } = options;
  const configDir = config === undefined ? undefined : resolve(cwd, config);
  const agentFolders = dirs.map((dir) => resolve(cwd, dir));
  if (configDir !== undefined) agentFolders.push(join(configDir, 'agents'));
  const folders = [...new Set(agentFolders)];
  const memory = memoryRoots.map((root) => resolve(cwd, root));

  /** The folders that must contain a file after links are followed; undefined without a limit. */
  function rootsFor(folder: string | undefined): readonly string[] | undefined {
    if (isConfined) return [cwd];
    return folder === undefined || folder === configDir ? undefined : [folder, cwd];
  }

  async function readFile(
    path: string,
    { maxBytes, folder }: { readonly maxBytes: number; readonly folder?: string },
  ): Promise<FoundFile> {
    const refused = (reason: string) => ({ kind: 'refused' as const, reason });
    const place = folder === undefined ? 'the workspace' : 'the folders that skills are read from';
    const outside = `${JSON.stringify(displayPath(cwd, path))} leads out of ${place}`;
    const isOutside = folder !== undefined && !isInside(folder, path) && !isInside(cwd, path);
    if (isOutside) return refused(outside);

    try {
      const real = await realpath(path);
      const roots = rootsFor(folder);
      if (roots !== undefined && !(await isWithin(roots, real))) return refused(outside);

      const stats = await stat(real);
      if (stats.isDirectory()) return refused(`read ${path}: is a directory`);
      if (!stats.isFile()) return refused(`${path} is not a regular file`);
      if (stats.size > maxBytes)
        return refused(
          `${path} has ${formatInteger(stats.size)} bytes; the limit is ${formatInteger(maxBytes)}`,
        );

      const bytes = await readRegularFile(real);
      return { kind: 'file', path: real, bytes, isMemory: await isWithin(memory, real) };
    } catch (thrown) {
      const code = errorCode(thrown);
      if (code === undefined) throw thrown;
      if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
      return refused(fileError('open', path, thrown).message);
    }
  }

  const reader: AgentReader = {
    isLocal: true,
    resolve: (path, folder = cwd) => resolve(folder, path),
    show: (path) => displayPath(cwd, path),
    file: (path) => displayPath(cwd, path),
    describeFolders: (searched) =>
      searched.map((folder) => `\`${displayPath(cwd, folder)}\``).join(', '),
    async read(path, limit) {
      const file = await readFile(path, limit);
      if (file.kind === 'file') onRead?.(file.path);
      return file;
    },
    async texts(paths) {
      const limit = { maxBytes: MAX_CONTEXT_BYTES, folder: cwd };
      const listed = await Promise.all(
        paths.map((path) => (path.endsWith('/') ? filesBelow(cwd, path) : [path])),
      );
      const wanted = listed.flat();
      const files = await Promise.all(wanted.map((path) => readFile(resolve(cwd, path), limit)));
      return wanted.flatMap((path, index) => {
        const file = files[index];
        const isReadable =
          file?.kind === 'file' && !file.isMemory && !isSecretPath(file.path.split(/[\\/]/));
        return isReadable ? [{ path, content: new TextDecoder().decode(file.bytes) }] : [];
      });
    },
    list: listFolder,
    async find(patterns, workdir) {
      const root = await resolveWorkdir(resolve(cwd, workdir));
      const budget = createContextBudget();
      const files: ContextFile[] = [];
      for (const file of await walkFiles(root, patterns.map(compileGlob))) {
        if (await isWithin(memory, file.realPath)) continue;
        const content = await readText(file, budget);
        if (content !== undefined) files.push({ path: file.path, content });
      }
      return { files, warnings: budget.warnings() };
    },
    async count(pattern, workdir) {
      const glob = compileGlob(pattern);
      const folder = isConfined
        ? await resolveInside(cwd, { path: workdir, what: '`workdir` of the agent' })
        : resolve(cwd, workdir);
      return (await walkFiles(await resolveWorkdir(folder), [glob])).length;
    },
  };
  return { reader, folders, configDir };
}

/** The path must be without links. */
async function isWithin(folders: readonly string[], path: string): Promise<boolean> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  return real.some((folder) => isInside(folder, path));
}

/** Paths of the files in a folder and below it, without links; none if it cannot be listed. */
async function filesBelow(cwd: string, folder: string): Promise<readonly string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(resolve(cwd, folder), options).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(cwd, join(parentPath, name)));
  return paths.map((path) => path.split(sep).join('/')).sort(compareBytes);
}

/** Lists a folder's names, without folders that are named like agents. */
async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() || !entry.name.endsWith('.toml'))
      .map(({ name }) => name)
      .sort(compareBytes);
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new ConfigError(
      `failed to read agents directory: ${fileError('open', folder, thrown).message}`,
      {
        cause: thrown,
        remedy: 'Make the folder readable, or name another one with `agents-dir`.',
      },
    );
  }
}

/** Throws a ConfigError if the folder does not exist. */
async function resolveWorkdir(workdir: string): Promise<string> {
  try {
    return await realpath(workdir);
  } catch (thrown) {
    const { message } = fileError('lstat', workdir, thrown);
    throw new ConfigError(`failed to resolve workdir symlinks: ${message}`, {
      cause: thrown,
      remedy: 'We look for `files` in the workdir: check `workdir` in the agent and `--workdir`.',
    });
  }
}

/** Undefined if the file is binary, cannot be read or does not fit. */
async function readText(file: WalkedFile, budget: ContextBudget): Promise<string | undefined> {
  if (budget.isSpent()) {
    budget.take(file.path, 0);
    return undefined;
  }
  let opened: OpenFile | undefined;
  try {
    opened = await createFiles().open(file.realPath, { followLinks: false });
    if (opened === undefined || isBinary(await opened.read(0, BINARY_CHECK_BYTES)))
      return undefined;
    if (!budget.take(file.path, opened.bytes)) return undefined;
    // Bytes that are not UTF-8 become U+FFFD; a byte order mark is kept, as in axe.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await opened.read(0, opened.bytes));
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    return undefined;
  } finally {
    await opened?.close();
  }
}

interface WalkedFile {
  /** `/`-separated and relative to the root, with links as they are named. */
  readonly path: string;
  /** With all links resolved; inside of the root. */
  readonly realPath: string;
}

/**
 * The regular files below a root that match any of the patterns, in byte order of their paths. Only
 * folders in which a file can match are opened. Links are followed if they end inside of the root;
 * `**` does not go through linked folders, so the walk always ends. Unreadable files and files for
 * credentials are left out without a warning.
 */
async function walkFiles(
  root: string,
  patterns: readonly CompiledPattern[],
): Promise<readonly WalkedFile[]> {
  const files: WalkedFile[] = [];

  async function enter(folder: WalkedFile, candidates: readonly CompiledPattern[]): Promise<void> {
    const entries = await readdir(folder.realPath, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      const isMatch = candidates.some((pattern) => pattern.matches(path));
      const below = candidates.filter((pattern) => pattern.mayContain(path));
      if (isSecretPath(path.split('/')) || (!isMatch && below.length === 0)) continue;

      const isLink = entry.isSymbolicLink();
      const place = join(folder.realPath, entry.name);
      const target = isLink ? await followLink(root, place) : { realPath: place, kind: entry };
      if (target === undefined) continue;

      const { realPath, kind } = target;
      const inner = isLink ? below.filter((pattern) => !pattern.isRecursive) : below;
      if (kind.isFile() && isMatch) files.push({ path, realPath });
      if (kind.isDirectory() && inner.length > 0) await enter({ path, realPath }, inner);
    }
  }

  await enter({ path: '', realPath: root }, patterns);
  return files.sort((a, b) => compareBytes(a.path, b.path));
}

/** The target of a link; undefined if it does not exist, is outside of the root or is secret. */
async function followLink(root: string, link: string) {
  try {
    const realPath = await realpath(link);
    if (!isInside(root, realPath) || isSecretPath(relative(root, realPath).split(sep)))
      return undefined;
    return { realPath, kind: await stat(realPath) };
  } catch {
    return undefined;
  }
}
