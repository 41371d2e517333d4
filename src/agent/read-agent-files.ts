import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { shownPath } from '../lib/confine.js';
import { MAX_AGENT_BYTES } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import { errorCode, fileError } from '../lib/file-error.js';
import { compareBytes } from '../lib/text/bytes.js';
import { grouped } from '../lib/text/number.js';
import { readRegularFile } from '../lib/text-file.js';
import { decodeAgent } from './decode.js';
import { parseError, tooLarge } from './fault.js';
import { checkAgentName } from './name.js';
import { agentNotFound } from './not-found.js';

const EXTENSION = '.toml';

export interface AgentFolders {
  /** Absolute, in the order they are searched (D4). */
  readonly folders: readonly string[];
  readonly cwd: string;
}

/**
 * The file of an agent, by name or by a path that ends in `.toml`. Throws a ConfigError for a name that cannot be one
 * (D5), for two files that differ only in case, and for an agent that does not exist.
 */
export async function findAgentFile(name: string, places: AgentFolders): Promise<string> {
  if (name.endsWith(EXTENSION)) {
    checkAgentName(basename(name, EXTENSION));
    const file = resolve(places.cwd, name);
    if (await exists(file)) return file;
    throw await missingAgent(name, places);
  }
  checkAgentName(name);
  for (const folder of places.folders) {
    const names = await agentNames(folder);
    if (!names.includes(name)) continue;
    refuseTwins(name, names, shownPath(places.cwd, folder));
    return join(folder, `${name}${EXTENSION}`);
  }
  throw await missingAgent(name, places);
}

/** The names of the agent files in a folder, in byte order; none if the folder does not exist. */
export async function agentNames(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith(EXTENSION))
      .map((entry) => basename(entry.name, EXTENSION))
      .sort(compareBytes);
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new ConfigError(`failed to read agents directory: ${fileError('open', folder, thrown).message}`, {
      cause: thrown,
      remedy: 'Make the folder readable, or name another one with `agents-dir`.',
    });
  }
}

/** Refuses an agent next to which another one stands whose name differs only in case (D5). Throws a ConfigError. */
export function refuseTwins(name: string, names: readonly string[], folder: string): void {
  const twin = names.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return;
  throw new ConfigError(`agents "${name}" and "${twin}" in ${folder} differ only in case`, {
    remedy: 'Rename one of the two: some file systems, and their memory, treat the two as one.',
  });
}

/** The text of an agent file. Throws a ConfigError in axe's words if it cannot be read (axe-behaviour §2). */
export async function readAgentFile(name: string, file: string, shown: string): Promise<string> {
  const source = { name, file: shown };
  let bytes: Uint8Array;
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) throw unreadable(source, `read ${file}: is a directory`);
    if (!stats.isFile()) throw unreadable(source, `${file} is not a regular file`);
    if (stats.size > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${grouped(stats.size)} bytes`));
    bytes = await readRegularFile(file);
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    throw unreadable(source, fileError('open', file, thrown).message, thrown);
  }
  return decodeAgent(bytes, source);
}

function unreadable(source: { name: string; file: string }, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`failed to read agent config "${source.name}": ${reason}`, {
    at: { file: source.file },
    remedy: 'An agent is a readable text file.',
    cause,
  });
}

/** The error for an agent that does not exist: it names those that do, the likeliest first. */
export async function missingAgent(name: string, { folders, cwd }: AgentFolders): Promise<ConfigError> {
  const known = (await Promise.all(folders.map(agentNames))).flat();
  const places = folders.map((folder) => `\`${shownPath(cwd, folder)}\``).join(', ');
  return agentNotFound(name, { places: [places], known });
}

/** Whether there is a folder; one that cannot be looked at is left to the reader. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOENT' && errorCode(thrown) !== 'ENOTDIR';
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (thrown) {
    return errorCode(thrown) !== 'ENOENT' && errorCode(thrown) !== 'ENOTDIR';
  }
}
