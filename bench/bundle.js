import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Files of the sources and of the tests' fakes as programs in `folder`, which lies inside the
 * checkout where the packages are.
 */
export async function bundle(folder, files) {
  await build({
    entryPoints: files.map((file) => join(ROOT, file)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '@jest/globals': join(ROOT, 'bench/append/no-jest.ts') },
    logLevel: 'error',
  });
}
