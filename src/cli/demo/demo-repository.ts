import { join } from 'node:path';
import { createFiles } from '../../adapters/host/files.js';
import { diffOfRange } from '../../adapters/host/git.js';
import { runGit } from '../../adapters/host/git-checkout/run-git.js';
import type { Environment } from '../../core/environment.js';
import { AxeError } from '../../core/errors.js';

/** A repository in a temporary folder. */
interface DemoRepository {
  /** Sha of the commit that is made. */
  commit(commit: DemoCommit): Promise<string>;
  /** What lies between two commits, as git shows it. */
  diff(from: string, to: string): Promise<string>;
}

/** Where the repository is made, and with what. */
interface DemoRepositoryOptions {
  readonly folder: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Makes a repository. Throws an AxeError where git is missing. */
export async function makeDemoRepository(options: DemoRepositoryOptions): Promise<DemoRepository> {
  const { folder, signal } = options;
  const files = createFiles();
  const file = join(folder, DEMO_FILE);
  await files.append(file, '', { followLinks: false });
  await git(['init', '--quiet'], options);
  return {
    async commit({ subject, text }) {
      await files.replace(file, text);
      await git(['add', '--all'], options);
      await git(['commit', '--quiet', `--message=${subject}`], options);
      return await git(['rev-parse', 'HEAD'], options);
    },
    diff: (from, to) => diffOfRange(`${from}..${to}`, folder, signal),
  };
}

/** Nobody's own settings count, so that the demo asks for no signature and runs no hook. */
const SETTINGS = [
  ['user.name', 'demo'],
  ['user.email', 'demo@localhost'],
  ['commit.gpgsign', 'false'],
  ['init.defaultBranch', 'main'],
  ['core.autocrlf', 'false'],
] as const;

/** The same commits have the same names in every run. */
const DATES = { GIT_AUTHOR_DATE: '2026-01-05T12:00:00Z', GIT_COMMITTER_DATE: '2026-01-05T12:00:00Z' };

async function git(args: readonly string[], { folder, env, signal }: DemoRepositoryOptions): Promise<string> {
  const end = await runGit(args, { cwd: folder, env: { ...env, ...DATES }, settings: SETTINGS, signal });
  if (end.kind === 'ok') return end.stdout.toString('utf8').trim();
  throw new AxeError(`the demo could not make its temporary repository: ${end.message}`, {
    remedy: 'The demo needs `git` on the PATH.',
  });
}

/** A commit of the demo: its message, and the file as it is then. */
interface DemoCommit {
  readonly subject: string;
  readonly text: string;
}

/** The file that all of the demo is about. */
const DEMO_FILE = 'src/greeting.ts';

/** What the default branch has. */
export const DEMO_BASE: DemoCommit = {
  subject: 'Greet everybody',
  text: `export function greeting(): string {
  return 'Hello!';
}
`,
};

/** The commits of the pull request. Each is of what `offline/rules` can see: the rules understand no code. */
export const DEMO_COMMITS: readonly DemoCommit[] = [
  {
    subject: 'Greet people by their name',
    text: `export function greeting(name: string): string {
  // TODO: translate
  console.log('greeting', name);
  return \`Hello, \${name}!\`;
}
`,
  },
  {
    subject: 'Take the debug output out',
    text: `export function greeting(name: string): string {
  // TODO: translate
  return \`Hello, \${name}!\`;
}
`,
  },
  {
    subject: 'Log again, and say what the TODO is about',
    text: `export function greeting(name: string): string {
  // TODO: translate for every language
  console.log('greeting', name);
  return \`Hello, \${name}!\`;
}
`,
  },
];

/** What a person with write access answers to the first review, to the finding on the line with this text. */
export const DEMO_ANSWER = { by: 'you', line: 'TODO', text: 'By design: callers translate.' };
