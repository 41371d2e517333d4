import { spawnSync } from 'node:child_process';
import { AxeError } from './errors.js';

/** Opens a file in the user's editor and waits until it is closed. Throws an AxeError if the editor fails. */
export function openEditor(editor: string, file: string): void {
  const [program = editor, ...args] = editor.trim().split(/\s+/);
  const { error, status, signal } = spawnSync(program, [...args, file], { stdio: 'inherit' });
  if (error !== undefined) throw new AxeError(`cannot start the editor "${program}": ${error.message}`);
  if (signal !== null) throw new AxeError(`the editor was ended by ${signal}`);
  if (status !== 0) throw new AxeError(`the editor ended with status ${status}`);
}
