import { chmodSync, copyFileSync, cpSync, linkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tempDir } from './temp.js';

const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o001;
const NOBODY = 65_534;

/** The Node that runs the tests, where every user of the machine can start it. */
export function nodeForOthers(): string {
  return openToOthers(process.execPath);
}

/**
 * A file or folder where every user can read it: itself, or a copy if it lies under a folder that
 * is closed to others, as a home is. The copy is removed after the test.
 */
export function openToOthers(path: string): string {
  if (isOpen(path)) return path;
  const folder = tempDir('open');
  chmodSync(folder, 0o755);
  const copy = join(folder, basename(path));
  if (statSync(path).isDirectory()) cpSync(path, copy, { recursive: true });
  else linkOrCopy(path, copy);
  return copy;
}

function isOpen(path: string): boolean {
  if ((statSync(path).mode & OTHERS_READ) === 0) return false;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & OTHERS_ENTER) === 0) return false;
  }
  return true;
}

/** Node is large, and its file is nobody's to change. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** The superuser is denied nothing; the call then runs as somebody else. */
export async function asNobody<T>(call: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await call();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
