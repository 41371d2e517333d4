import { execFileSync } from 'node:child_process';
import { writeFiles } from './temp.js';

/** Environment of a git that knows nobody. */
export const NOBODY = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' } as const;

/** Who commits in test repositories, and when: the same everywhere, so the shas are the same. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'octocat',
  GIT_AUTHOR_EMAIL: 'octocat@users.noreply.github.com',
  GIT_COMMITTER_NAME: 'octocat',
  GIT_COMMITTER_EMAIL: 'octocat@users.noreply.github.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
};

/** Git in a folder, without anybody's configuration. Throws with git's message. */
export function gitIn(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, ...NOBODY, ...IDENTITY },
  });
}

/** A real git repository in a folder. */
export type GitRepo = ReturnType<typeof makeGitRepo>;

/** Makes an empty repository on branch `main` in the folder. */
export function makeGitRepo(path: string) {
  const git = (...args: readonly string[]) => gitIn(path, ...args);
  git('init', '--quiet', '--initial-branch=main');
  return {
    path,
    git,
    /** Writes the files, adds everything and commits. Returns the commit's full sha. */
    commit(message: string, files: Readonly<Record<string, string>>): string {
      writeFiles(path, files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', `--message=${message}`);
      return git('rev-parse', 'HEAD').trim();
    },
  };
}
