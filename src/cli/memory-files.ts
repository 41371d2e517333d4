import { join, resolve } from 'node:path';
import { editText } from '../adapters/host/edit-text.js';
import { createFiles } from '../adapters/host/files.js';
import type { Exported } from '../commands/memory/command-session.js';
import { AxeError, messageOf } from '../core/errors.js';
import { decodeBytes, encodeBytes } from '../core/text/bytes.js';
import type { Terminal } from './terminal.js';

/** Lets the user change a text in `$EDITOR`. Throws an AxeError. */
export async function editInTerminal(draft: string, { env }: Terminal): Promise<string> {
  const editor = env['EDITOR'] ?? '';
  if (editor.trim() === '') {
    throw new AxeError('$EDITOR environment variable is not set', { remedy: 'Set it, or give `--text`.' });
  }
  return await editText(editor, draft);
}

/** The text of a file to import, or of standard input for `-`; invalid UTF-8 survives. Throws an AxeError. */
export async function readImport(from: string, { cwd, stdin }: Terminal): Promise<string> {
  if (from === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return decodeBytes(Buffer.concat(chunks));
  }
  const path = resolve(cwd, from);
  const file = await told(() => createFiles().open(path, { followLinks: true }));
  if (file === undefined) throw new AxeError(`open ${path}: no such file or directory`);
  try {
    return await told(async () => decodeBytes(await file.read(0, file.bytes)));
  } finally {
    await file.close();
  }
}

/** Writes what is exported to a new file or folder, or to standard output for `-`. Throws an AxeError. */
export async function writeExport(out: string, exported: Exported, { cwd, stdout }: Terminal): Promise<void> {
  const target = resolve(cwd, out);
  if (exported.kind === 'folder') return await writeFolder(target, exported.tree);
  if (out === '-') {
    stdout.write(encodeBytes(exported.text));
    return;
  }
  const isNew = await told(() => createFiles().createExclusive(target, exported.text));
  if (!isNew) throw inTheWay(target);
}

async function writeFolder(folder: string, tree: ReadonlyMap<string, string>): Promise<void> {
  const files = createFiles();
  const found = await told(() => files.stat(folder));
  const isFree =
    found === undefined || (found.kind === 'directory' && (await files.list(folder)).length === 0);
  if (!isFree) throw inTheWay(folder);
  for (const [path, text] of tree) {
    await told(() => files.createExclusive(join(folder, ...path.split('/')), text));
  }
}

function inTheWay(path: string): AxeError {
  return new AxeError(`${path} exists already`, {
    remedy: 'Nothing is written over; name another with `--out`.',
  });
}

/** What the file system throws, as something to be told. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new AxeError(messageOf(thrown), { cause: thrown });
  }
}
