import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gitIn } from '../__tests__/helpers/git-repo.js';
import { tempDir, writeFiles } from '../__tests__/helpers/temp.js';
import { PLAIN_DIFF } from '../src/lib/git.js';
import type { Case } from './case.js';
import { fillerFiles } from './filler.js';
import type { LoadedCase } from './load.js';

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** A pull request at one time. */
export interface Version {
  readonly base: Files;
  readonly head: Files;
  /** From base to head, as `git diff` writes it. */
  readonly diff: string;
  /** From the head before to this one; the same as `diff` for the first version. */
  readonly fresh: string;
  /** The head is not on top of the head before. */
  readonly isRebased: boolean;
}

/** All versions of a case, as git has them. */
export interface Versions {
  readonly first: Version;
  /** By the number of the push. */
  readonly pushes: ReadonlyMap<number, Version>;
  /** Other pull requests, by their number: on top of the last version, merged. */
  readonly pulls: ReadonlyMap<number, Version>;
}

const BASE = 'main';
const HEAD = 'topic';

const made = new WeakMap<LoadedCase, Versions>();

/**
 * Makes the versions of a case, once, in a repository of its own. Throws with git's words for a
 * patch that does not apply.
 */
export function makeVersions(loaded: LoadedCase): Versions {
  const versions = made.get(loaded) ?? makeAnew(loaded);
  made.set(loaded, versions);
  return versions;
}

function makeAnew({ about, folder }: LoadedCase): Versions {
  const repository = tempDir('eval');
  try {
    return build(about, folder, repository);
  } finally {
    rmSync(repository, { recursive: true, force: true, maxRetries: 5 });
  }
}

function build(about: Case, folder: string, repository: string): Versions {
  const git = (...args: readonly string[]) => gitIn(repository, ...args);
  git('init', '--quiet', `--initial-branch=${BASE}`);
  replaceTree(repository, join(folder, 'base'));
  commit(git, 'base');
  let base = filesIn(repository);
  git('checkout', '--quiet', '-b', HEAD);
  replaceTree(repository, join(folder, 'head'));
  if (about.filler !== undefined) writeFiles(repository, fillerFiles(about.filler, about.name));
  commit(git, 'head');
  const version = (from: string, isRebased: boolean): Version => {
    const diff = diffOf(git, `${BASE}...${HEAD}`);
    const isWhole = isRebased || from === BASE;
    return {
      base,
      head: filesIn(repository),
      diff,
      fresh: isWhole ? diff : diffOf(git, `${from}..${HEAD}`),
      isRebased,
    };
  };
  const first = version(BASE, false);
  const pushes = new Map<number, Version>();
  const pulls = new Map<number, Version>();
  for (const step of about.steps) {
    if ('push' in step) {
      const from = git('rev-parse', HEAD).trim();
      if (step.rebase)
        base = moveBase(git, { repository, patch: join(folder, `pushes/${step.push}.base.patch`) });
      applyPatch(git, join(folder, `pushes/${step.push}.patch`));
      pushes.set(step.push, version(from, step.rebase));
    }
    if ('pull' in step) {
      base = filesIn(repository);
      git('branch', '--force', BASE, HEAD);
      applyPatch(git, join(folder, `pulls/${step.pull}.patch`));
      pulls.set(step.pull, version(BASE, false));
    }
  }
  return { first, pushes, pulls };
}

type Git = (...args: readonly string[]) => string;

function commit(git: Git, message: string): void {
  git('add', '--all', '--force');
  git('commit', '--quiet', '--allow-empty', `--message=${message}`);
}

function replaceTree(repository: string, from: string): void {
  for (const name of readdirSync(repository)) {
    if (name !== '.git') rmSync(join(repository, name), { recursive: true });
  }
  if (existsSync(from)) cpSync(from, repository, { recursive: true });
}

/** A patch that is missing changes nothing: a rebase alone brings the new base. */
function applyPatch(git: Git, patch: string): void {
  if (!existsSync(patch)) return;
  git('apply', '--index', '--whitespace=nowarn', patch);
  git('commit', '--quiet', '--message=push');
}

/**
 * Gives the base branch a commit of its own and puts the head on top of it; returns the files of
 * the base.
 */
function moveBase(
  git: Git,
  { repository, patch }: { readonly repository: string; readonly patch: string },
): Files {
  git('checkout', '--quiet', BASE);
  applyPatch(git, patch);
  const files = filesIn(repository);
  git('checkout', '--quiet', HEAD);
  git('rebase', '--quiet', BASE);
  return files;
}

/** The arguments for a diff as GitHub has it, whatever the user's configuration says. */
export const DIFF_AS_ON_GITHUB = ['diff', ...PLAIN_DIFF];

function diffOf(git: Git, range: string): string {
  return git(...DIFF_AS_ON_GITHUB, range);
}

/** What is checked out. */
function filesIn(repository: string): Files {
  const entries = readdirSync(repository, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(repository, file).replaceAll('\\', '/'), file] as const)
      .filter(([path]) => !path.startsWith('.git/'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, file]) => [path, readFileSync(file, 'utf8')]),
  );
}
