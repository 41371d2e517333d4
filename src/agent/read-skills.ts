import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { isInside, shownPath } from '../lib/confine.js';
import { MAX_CONTEXT_BYTES } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import { errorCode, fileError } from '../lib/file-error.js';
import { grouped } from '../lib/text/number.js';
import { readRegularFile } from '../lib/text-file.js';
import { isSecretPath } from '../tools/files/path-rules.js';
import { skillNotFound } from './not-found.js';

interface SkillPlaces {
  /** Parents of the agents folders, absolute, in the order they are searched (D4). */
  readonly parents: readonly string[];
  /** axe's configuration folder, searched last; its links are the user's own and are followed anywhere. */
  readonly configDir: string | undefined;
  readonly cwd: string;
  /** Whether a skill must lie in `cwd` with every link followed, as in a workflow; left out: no. */
  readonly isConfined?: boolean;
  /** Absolute folders in which memory is kept. */
  readonly memoryRoots: readonly string[];
  /** Is told the path of a skill that is read, without links. */
  readonly onRead?: (file: string) => void;
}

/**
 * The text of a skill (D4, axe-behaviour §9): an absolute path, a path relative to a parent of an agents folder and then
 * to the configuration folder, or a bare name for `skills/<name>/SKILL.md` there. A relative path must not lead out of
 * those folders and the current one. Throws a ConfigError.
 */
export async function loadSkill(path: string, places: SkillPlaces): Promise<string> {
  if (path === '') return '';
  const candidates = candidatesOf(path, places);
  if (candidates.length === 0) throw leavesFolder(path);
  let folder: string | undefined;
  for (const candidate of candidates) {
    const kind = await kindOf(candidate.file);
    if (kind === 'missing') continue;
    if (kind === 'folder') {
      if (!candidate.isGuess) folder ??= candidate.file;
      continue;
    }
    if (candidate.roots !== undefined && !(await staysInside(candidate.file, candidate.roots))) {
      throw leavesFolder(path);
    }
    const real = await realpath(candidate.file).catch(() => candidate.file);
    await refuseClosed(path, real, places.memoryRoots);
    places.onRead?.(real);
    return await readSkill(candidate.file);
  }
  if (folder !== undefined)
    throw unreadable(`read ${folder}: is a directory`, 'Name the file: `…/SKILL.md`.');
  throw await missingSkill(path, candidates, places);
}

interface Candidate {
  readonly file: string;
  /** Folders the file must really lie in; undefined if it may lie anywhere. */
  readonly roots: readonly string[] | undefined;
  /** A bare name tried as a file: a folder of that name means nothing. */
  readonly isGuess: boolean;
}

function candidatesOf(path: string, places: SkillPlaces): readonly Candidate[] {
  const { parents, configDir, cwd, isConfined = false } = places;
  if (isAbsolute(path)) return [{ file: path, roots: isConfined ? [cwd] : undefined, isGuess: false }];
  const bases = parents
    .filter((parent) => parent !== configDir)
    .map((base) => ({ base, roots: isConfined ? [cwd] : [base, cwd] }));
  const all = configDir === undefined ? bases : [...bases, { base: configDir, roots: undefined }];
  const isBare = !/[\\/]/.test(path) && path !== '.' && path !== '..';
  const asPath = all.map(({ base, roots }) => ({ file: resolve(base, path), base, roots, isGuess: isBare }));
  const asName = all.map(({ base, roots }) => ({
    file: join(base, 'skills', path, 'SKILL.md'),
    base,
    roots,
    isGuess: false,
  }));
  return [...asPath, ...(isBare ? asName : [])].filter(
    ({ file, base }) => isInside(base, file) || isInside(cwd, file),
  );
}

async function kindOf(file: string): Promise<'missing' | 'folder' | 'file'> {
  try {
    return (await stat(file)).isDirectory() ? 'folder' : 'file';
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    // Let the read say what is wrong with it.
    return 'file';
  }
}

async function staysInside(file: string, roots: readonly string[]): Promise<boolean> {
  try {
    const realFile = await realpath(file);
    const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
    return realRoots.some((root) => isInside(root, realFile));
  } catch (thrown) {
    throw unreadable(fileError('open', file, thrown).message, 'Make the file readable.', thrown);
  }
}

/** By whatever name or link: the untrusted lane of memory and git's own folder must not become instructions (D47). */
async function refuseClosed(path: string, real: string, memoryRoots: readonly string[]): Promise<void> {
  const isSecret = isSecretPath(real.split(sep));
  const memory = await Promise.all(memoryRoots.map((root) => realpath(root).catch(() => root)));
  if (!isSecret && !memory.some((root) => isInside(root, real))) return;
  const reason = isSecret ? 'credentials may be kept there' : 'memory is kept there';
  throw new ConfigError(`skill ${JSON.stringify(path)} is out of bounds: ${reason}`, {
    remedy: 'Put the skill next to the agents, for example in `axe/skills/`.',
  });
}

async function readSkill(file: string): Promise<string> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) throw unreadable(`${file} is not a regular file`, 'A skill is a text file.');
    if (stats.size > MAX_CONTEXT_BYTES) {
      const size = `${file} has ${grouped(stats.size)} bytes; the most is ${grouped(MAX_CONTEXT_BYTES)}`;
      throw unreadable(size, 'Keep the skill short, and move long texts to context files (`files`).');
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readRegularFile(file));
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    throw unreadable(fileError('open', file, thrown).message, 'Make the file readable.', thrown);
  }
}

function unreadable(reason: string, remedy: string, cause?: unknown): ConfigError {
  return new ConfigError(`failed to read skill: ${reason}`, { remedy, cause });
}

function leavesFolder(path: string): ConfigError {
  return new ConfigError(`skill ${JSON.stringify(path)} leads out of the folders that skills are read from`, {
    remedy: 'Put the skill next to the agents, for example in `axe/skills/`, or give its absolute path.',
  });
}

/** The place axe would have looked at is in the message; the others, and what is there, in the remedy. */
async function missingSkill(
  path: string,
  candidates: readonly Candidate[],
  { parents, configDir, cwd }: SkillPlaces,
): Promise<ConfigError> {
  const axes = isAbsolute(path) ? path : resolve(configDir ?? parents[0] ?? cwd, path);
  const bases = configDir === undefined ? parents : [...parents, configDir];
  const known = (await Promise.all(bases.map(skillPaths))).flat();
  const places = candidates.map(({ file }) => `\`${shownPath(cwd, file)}\``);
  return skillNotFound(path, { places, known: [...new Set(known)] }, axes);
}

/** The skills of a folder, as agents name them: their `SKILL.md`, or the text that has the wrong name. */
async function skillPaths(base: string): Promise<readonly string[]> {
  const folders = await namesIn(join(base, 'skills'));
  const paths = folders.map(async (folder) => {
    const texts = (await namesIn(join(base, 'skills', folder))).filter((name) => name.endsWith('.md'));
    const text = texts.find((name) => name === 'SKILL.md') ?? texts[0];
    return text === undefined ? [] : [`skills/${folder}/${text}`];
  });
  return (await Promise.all(paths)).flat();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
