import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where programs under test keep their compiled code, unless a test is about that: one folder for
 * all of them, which nobody else can write to, as a test starts a program that has been started
 * hundreds of times.
 */
export const COMPILED_CODE = {
  NODE_COMPILE_CACHE: join(tmpdir(), `axe-action-compiled-${process.getuid?.() ?? 0}`),
};

mkdirSync(COMPILED_CODE.NODE_COMPILE_CACHE, { recursive: true, mode: 0o700 });
