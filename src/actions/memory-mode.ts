import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AxeError, messageOf } from '../axe/errors.js';
import { decodeBytes } from '../axe/memory/bytes.js';
import type { World } from '../axe/ports.js';
import { createFiles } from '../host/files.js';
import type { RunReport, RunRequest } from '../pipeline/request.js';
import { commandWords } from '../pipeline/tend/command-words.js';
import type { Exported } from '../pipeline/tend/memory-hand.js';
import { tendMemory } from '../pipeline/tend/tend-memory.js';

/** What `mode: memory` works with. */
export interface MemoryModeParts {
  /** Input `memory-command`. */
  readonly command: string;
  readonly request: RunRequest;
  readonly workspace: string;
}

/**
 * Carries out a command over memory instead of a run. Files are those of the workspace; what is exported to `-` becomes
 * the step's response. Throws an AxeError.
 */
export async function runMemoryMode(
  { command, request, workspace }: MemoryModeParts,
  world: World,
): Promise<RunReport> {
  const exported: string[] = [];
  const report = await tendMemory(
    {
      ...request,
      words: commandWords(command),
      askedIn: 'workflow',
      readImport: (from) => readFile(inside(workspace, from)),
      writeExport: async (out, what) => {
        if (out === '-' && what.kind === 'file') exported.push(what.text);
        else await writeFiles(inside(workspace, out), what);
      },
    },
    world,
  );
  if (exported.length === 0 || report.kind !== 'tended' || report.result.kind !== 'done') return report;
  return { ...report, result: { ...report.result, text: exported.join('').toWellFormed() } };
}

/** Throws an AxeError for a path that leaves the workspace. */
function inside(workspace: string, path: string): string {
  const target = resolve(workspace, path);
  const below = relative(workspace, target);
  const isInside = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  if (isInside && !below.split(sep).includes('.git')) return target;
  throw new AxeError(`${JSON.stringify(path)} is no path inside the workspace`, {
    remedy: 'Name a file of the workspace, for example `memory.md`.',
  });
}

async function readFile(path: string): Promise<string> {
  try {
    const file = await createFiles().open(path, { followLinks: false });
    if (file === undefined) throw new Error(`open ${path}: no such file or directory`);
    try {
      return decodeBytes(await file.read(0, file.bytes));
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw new AxeError(messageOf(thrown), { cause: thrown });
  }
}

async function writeFiles(target: string, exported: Exported): Promise<void> {
  try {
    const files = createFiles();
    if (exported.kind === 'file') return await files.replace(target, exported.text);
    for (const [path, text] of exported.tree) await files.replace(join(target, ...path.split('/')), text);
  } catch (thrown) {
    throw new AxeError(messageOf(thrown), { cause: thrown });
  }
}
