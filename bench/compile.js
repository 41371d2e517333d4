// `src/` as it is now, compiled to `lib/`, so that figures are the current code's.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** Throws if the sources do not compile. */
export function compile() {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: resolve(import.meta.dirname, '..'),
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('tsc failed');
}
