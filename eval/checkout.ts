import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SetChange } from './set.js';
import { DIFF_AS_ON_GITHUB, type Version } from './versions.js';

/** Larger files are no source, and what has a zero byte is no text. */
const MAX_BYTES = 512 * 1024;

/** A change of a set as git has it, with the headline of its newest commit. */
export interface CheckedOut {
  readonly version: Version;
  readonly title: string;
}

/**
 * Checks a change out, in the one clone of its repository, which is kept for the next change and
 * the next start. Throws with git's words.
 */
export function checkOut(change: SetChange, folder: string): CheckedOut {
  const clone = join(folder, change.repository.replaceAll('/', '+'));
  const git = (...args: readonly string[]) => gitIn(clone, args);
  if (!existsSync(join(clone, '.git'))) {
    rmSync(clone, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    gitIn(folder, ['clone', '--quiet', '--no-checkout', '--filter=blob:none', change.url, clone]);
  }
  for (const commit of [change.base, change.head]) {
    const isThere = () => succeeds(() => git('cat-file', '-e', `${commit}^{commit}`));
    if (!isThere()) git('fetch', '--quiet', 'origin', commit);
  }

  const from = git('merge-base', change.base, change.head).trim();
  const base = filesAt(git, clone, from);
  const head = filesAt(git, clone, change.head);
  const range = `${from}..${change.head}`;
  const diff = git(...DIFF_AS_ON_GITHUB, range);
  const title = git('log', '-1', '--format=%s', change.head).trim();
  return { version: { base, head, diff, fresh: diff, isRebased: false }, title };
}

type Git = (...args: readonly string[]) => string;

/** Git fetches the files of a checkout together, and otherwise one by one. */
function filesAt(git: Git, clone: string, commit: string): Readonly<Record<string, string>> {
  git('checkout', '--quiet', '--force', '--detach', commit);
  git('clean', '--quiet', '--force', '-d', '-x');
  const entries = readdirSync(clone, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries) {
    const path = relative(clone, join(entry.parentPath, entry.name));
    if (!entry.isFile() || path.startsWith('.git/')) continue;
    const bytes = readFileSync(join(clone, path));
    if (bytes.length <= MAX_BYTES && !bytes.includes(0)) files[path] = bytes.toString();
  }
  return files;
}

/** The code of strangers: none of their hooks, filters and settings is used. */
function gitIn(folder: string, args: readonly string[]): string {
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.symlinks=false'];
  const { status, stdout, stderr } = spawnSync('git', [...safe, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' },
  });
  // The page is published, so this is not the command with its local paths.
  if (status !== 0) throw new Error(stderr.trim() || `git ${args[0]} failed`);
  return stdout;
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
