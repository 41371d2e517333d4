import { resolve } from 'node:path';
import { createClock } from '../adapters/host/clock.js';
import { createFiles } from '../adapters/host/files.js';
import { nothingToPush, pushMemory } from '../commands/memory/push-memory.js';
import { openCheckoutMemory } from '../composition/checkout-memory.js';
import { COMMITTED_FOLDER } from '../core/defaults.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { mergeThree } from '../core/memory/three-way.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { secretValues } from '../core/sanitize/secret-names.js';
import type { ParsedFlags } from './flags.js';
import { readImport } from './memory-files.js';
import { print, type Terminal } from './terminal.js';

/** `memory merge <base> <ours> <theirs> [path]`: a merge driver of git's. The result is written to `<ours>`. */
export async function mergeFilesOfGit({ positionals }: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const [baseFile = '', oursFile = '', theirsFile = '', path = oursFile, ...more] = positionals;
  if (theirsFile === '' || more.length > 0) {
    throw new AxeError(`accepts 3 or 4 arg(s), received ${positionals.length}`, {
      remedy: 'It is written `memory merge <base> <ours> <theirs> [path]`, in git `%O %A %B %P`.',
    });
  }
  const [base, ours, theirs] = [
    await readImport(baseFile, terminal),
    await readImport(oursFile, terminal),
    await readImport(theirsFile, terminal),
  ];
  const merged = mergeThree(path, { base, ours, theirs, forgotten: new Set() });
  await createFiles().replace(resolve(terminal.cwd, oursFile), merged);
  return 0;
}

/** `memory push`: commits and pushes what has changed in a folder of a checkout. Throws an AxeError. */
export async function pushFolder(flags: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  const { env, cwd } = terminal;
  const folder = flags.string('dir') || COMMITTED_FOLDER;
  const signal = new AbortController().signal;
  const opened = await openCheckoutMemory(
    { dir: resolve(cwd, folder), branch: flags.string('branch'), env, clock: createClock() },
    signal,
  );
  const result = opened === undefined ? nothingToPush(folder) : await pushMemory(opened, signal);
  const clean = (text: string) => sanitize(text, 'log', secretValues(env));
  if (result.kind === 'done') {
    print(terminal, clean(result.text));
    return 0;
  }
  const { message, remedy } = result;
  throw new AxeError(clean(message), remedy === undefined ? {} : { remedy: clean(remedy) });
}
