import { execFileSync } from 'node:child_process';
import { writeFiles } from './temp.js';

/** A real git repository in a temporary folder. */
export interface GitRepo {
  readonly path: string;
  /** Writes the files, adds everything and commits. Returns the commit's full sha. */
  commit(message: string, files: Readonly<Record<string, string>>): string;
  /** Runs git in the repository and returns its output. Throws with git's message if it fails. */
  git(...args: string[]): string;
}

/** Who commits in test repositories, and when: the same everywhere, so the shas are the same. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'octocat',
  GIT_AUTHOR_EMAIL: 'octocat@users.noreply.github.com',
  GIT_COMMITTER_NAME: 'octocat',
  GIT_COMMITTER_EMAIL: 'octocat@users.noreply.github.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
};

/** Makes an empty repository on branch `main` in the folder; the machine's git configuration has no part in it. */
export function makeGitRepo(path: string): GitRepo {
  function git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: path,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        ...IDENTITY,
      },
    });
  }
  git('init', '--quiet', '--initial-branch=main');
  return {
    path,
    git,
    commit(message, files) {
      writeFiles(path, files);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', `--message=${message}`);
      return git('rev-parse', 'HEAD').trim();
    },
  };
}
