import module from 'node:module';
import { isAbsolute } from 'node:path';
import { cacheDir } from '../adapters/host/xdg.js';
import type { Environment } from '../core/environment.js';

/**
 * Has Node keep the compiled form of the code that is loaded from now on, in the user's own cache folder: in one that
 * others write to, a checkout's too, they could put code of theirs. Where Node cannot write it says nothing; without a
 * home and before Node 22.8 there is nothing available, and `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function keepCompiledCode(env: Environment): void {
  const folder = cacheDir(env) ?? '';
  if (isAbsolute(folder)) module.enableCompileCache?.(folder);
}
