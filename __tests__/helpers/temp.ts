import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEachTest } from './test-end.js';

const folders: string[] = [];

afterEachTest(() => {
  // A program that is just ending may still put something in.
  for (const folder of folders.splice(0))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates an empty folder that is removed after the test; the path has no links in it. */
export function tempDir(name = 'test'): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `axe-action-${name}-`));
  removeAfterTest(folder);
  return folder;
}

export function removeAfterTest(folder: string): void {
  folders.push(folder);
}

/** Writes files, keys being paths relative to the folder; creates the folders they need. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
