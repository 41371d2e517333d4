import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError, messageOf } from '../axe/errors.js';

/** Text of config.toml; undefined if there is none. Throws a ConfigError in axe's words if it cannot be read. */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw new ConfigError(`failed to read config file: ${messageOf(thrown)}`, {
      at: { file: path },
      cause: thrown,
    });
  }
}

/** A file of a fresh configuration folder. */
export interface NewFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly content: string;
  /** Permission bits, for files that will hold keys. */
  readonly mode?: number;
}

/** Creates the files that are not there yet and never overwrites one; says which were created. */
export async function createMissingFiles(
  folder: string,
  files: readonly NewFile[],
): Promise<readonly string[]> {
  const created: string[] = [];
  for (const { path, content, mode } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    try {
      await writeFile(target, content, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
      created.push(target);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown;
    }
  }
  return created;
}

/** Creates a folder and those above it; one that is there is left as it is. */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/** The system's error code of whatever was thrown. */
function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
