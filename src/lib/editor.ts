import { type ChildProcess, spawn } from 'node:child_process';
import { AxeError } from './errors.js';

/** Ctrl-C and Ctrl-\\ are the editor's own: the terminal sends them to it, too. */
const LEFT_TO_THE_EDITOR: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];

/**
 * Opens a file in the user's editor and waits until it is closed. What asks this process to end meanwhile ends the
 * editor. Throws an AxeError if the editor fails.
 */
export async function openEditor(editor: string, file: string): Promise<void> {
  const [program = editor, ...args] = editor.trim().split(/\s+/);
  let child: ChildProcess | undefined;
  const passOn = (signal: NodeJS.Signals): void => void child?.kill(signal);
  const ignore = (): void => undefined;
  for (const signal of LEFT_TO_THE_EDITOR) process.on(signal, ignore);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  await new Promise<void>((resolve, reject) => {
    // Only now: an editor that runs must never outlive us for want of a listener.
    child = spawn(program, [...args, file], { stdio: 'inherit' });
    child.on('error', (error) =>
      reject(new AxeError(`cannot start the editor "${program}": ${error.message}`)),
    );
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else if (code === null) reject(new AxeError(`the editor was ended by ${signal}`));
      else reject(new AxeError(`the editor ended with status ${code}`));
    });
  }).finally(() => {
    for (const signal of LEFT_TO_THE_EDITOR) process.off(signal, ignore);
    for (const signal of PASSED_ON) process.off(signal, passOn);
  });
}
