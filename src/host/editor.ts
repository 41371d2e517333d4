import { spawn } from 'node:child_process';
import { AxeError } from '../axe/errors.js';

/** Opens a file in the user's editor and waits until it is closed. Throws an AxeError if the editor fails. */
export async function openEditor(editor: string, file: string): Promise<void> {
  const [program = editor, ...args] = editor.trim().split(/\s+/);
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, [...args, file], { stdio: 'inherit' });
    child.on('error', (error) =>
      reject(new AxeError(`cannot start the editor "${program}": ${error.message}`)),
    );
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else if (code === null) reject(new AxeError(`the editor was ended by ${signal}`));
      else reject(new AxeError(`the editor ended with status ${code}`));
    });
  });
}
