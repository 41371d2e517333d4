import { join, relative, resolve, sep } from 'node:path';
import { isInside } from '../adapters/host/confine.js';
import { createFiles } from '../adapters/host/files.js';
import { answerMemoryCommand } from '../commands/memory/answer-command.js';
import type { Exported } from '../commands/memory/command-session.js';
import { memoryCommandIn } from '../commands/memory/parse-comment.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError, orAxeError } from '../core/errors.js';
import { decodeBytes } from '../core/text/bytes.js';
import type { RunReport, RunRequest } from '../run/request.js';

/** What `mode: memory` works with. */
interface MemoryModeParts {
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
  deps: Dependencies,
): Promise<RunReport> {
  return await answerMemoryCommand(
    {
      ...request,
      words: memoryCommandIn(command),
      requestedIn: 'workflow',
      readImport: async (from) => await readFile(await inside(workspace, from)),
      writeExport: async (out, what) => {
        if (out === '-' && what.kind === 'file') return what.text.toWellFormed();
        for (const [path, text] of filesOf(out, what)) await writeFile(await inside(workspace, path), text);
        return undefined;
      },
    },
    deps,
  );
}

function filesOf(out: string, exported: Exported): readonly (readonly [path: string, text: string])[] {
  if (exported.kind === 'file') return [[out, exported.text]];
  return [...exported.tree].map(([path, text]) => [`${out}/${path}`, text]);
}

/** Throws an AxeError for a path that leaves the workspace, by a link too: what is checked out may hold anything. */
async function inside(workspace: string, path: string): Promise<string> {
  const target = resolve(workspace, path);
  const parts = relative(workspace, target).split(sep);
  if (parts[0] === '' || !isInside(workspace, target) || parts.some((part) => part.toLowerCase() === '.git'))
    throw outside(path);
  for (let depth = 1; depth < parts.length; depth += 1) {
    const found = await orAxeError(() => createFiles().stat(join(workspace, ...parts.slice(0, depth))));
    if (found?.kind === 'link') throw outside(path);
  }
  return target;
}

function outside(path: string): AxeError {
  return new AxeError(`${JSON.stringify(path)} is not a path inside the workspace`, {
    remedy: 'Name a file of the workspace, for example `memory.md`.',
  });
}

function readFile(path: string): Promise<string> {
  return orAxeError(async () => {
    const file = await createFiles().open(path, { followLinks: false });
    if (file === undefined) throw new Error(`open ${path}: no such file or directory`);
    try {
      return decodeBytes(await file.read(0, file.bytes));
    } finally {
      await file.close();
    }
  });
}

function writeFile(path: string, text: string): Promise<void> {
  return orAxeError(() => createFiles().replace(path, text));
}
