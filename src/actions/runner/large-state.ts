import { join } from 'node:path';
import * as v from 'valibot';
import { createFiles } from '../../adapters/host/files.js';
import { readTextFile } from '../../adapters/host/text-file.js';
import { AxeError } from '../../core/errors.js';
import { encodeBytes } from '../../core/text/bytes.js';
import { loadToolkit } from './toolkit.js';

/**
 * Most bytes of a state that are handed to the post step as they are: the runner gives it a state as a variable of its
 * environment, and Linux starts no program with one of more than 128 KiB (execve(2)).
 */
const MAX_STATE_BYTES = 64 * 1024;

const Elsewhere = v.object({ file: v.string() });

/** Keeps a text for the post step: as a state, or if it is too large for one in a file of the runner's `temp` folder. */
export async function saveLargeState(name: string, text: string, temp: string): Promise<void> {
  const { saveState } = await loadToolkit();
  if (temp === '' || encodeBytes(text).length <= MAX_STATE_BYTES) {
    saveState(name, text);
    return;
  }
  const file = join(temp, `axe-action-${name}-${process.pid}.json`);
  await createFiles().replace(file, text);
  saveState(name, JSON.stringify({ file }));
}

/** The text as it was kept; undefined where there is none, or where its file is gone. */
export async function readLargeState(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): Promise<string | undefined> {
  const state = env[`STATE_${name}`];
  const elsewhere = v.safeParse(v.pipe(v.string(), v.parseJson(), Elsewhere), state);
  if (!elsewhere.success) return state;
  try {
    return await readTextFile(elsewhere.output.file, { what: 'state', remedy: '' });
  } catch (thrown) {
    if (thrown instanceof AxeError) return undefined;
    throw thrown;
  }
}
