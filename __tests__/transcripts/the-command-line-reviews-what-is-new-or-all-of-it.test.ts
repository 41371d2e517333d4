import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { projectSlug } from '../../src/memory/paths.js';
import { type GitRepo, makeGitRepo } from '../helpers/git-repo.js';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { gitHubEnv } from './memory-scene.js';
import {
  CHANGE,
  calls,
  push,
  reviewStage,
  SECOND,
  submit,
  submitting,
  THIRD,
  withSecondLook,
} from './review-scene.js';
import { setStage } from './stage.js';

const OTHER = CHANGE.replaceAll('src/auth.ts', 'src/queue.ts');
const LAST = CHANGE.replaceAll('src/auth.ts', 'src/stack.ts');

it('`--review-scope` selects the scope, and `--language` the language', async () => {
  const stage = await reviewStage(submitting('Gelesen.'), {}, setStage);
  const cwd = tempDir('laptop');
  const env = { ...stage.model.env, ...gitHubEnv(stage.github), XDG_DATA_HOME: tempDir('data') };
  async function review(payload: unknown, ...words: readonly string[]): Promise<string> {
    writeFileSync(join(cwd, 'event.json'), JSON.stringify(payload));
    const cli = await runCli(['run', 'reviewer', '--event', 'event.json', ...words], { cwd, env });
    expect({ exitCode: cli.exitCode, stderr: cli.stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { system, messages } = stage.model.prompts().at(-1) ?? { system: '', messages: [] };
    return [system, ...messages].join('\n');
  }

  const first = await review(stage.payload, '--language', 'German');
  expect(first).toContain('in this language: German.');
  const second = push(stage, SECOND, { diff: CHANGE + OTHER, fresh: OTHER }).event.payload;
  const all = await review(second, '--review-scope', 'full');
  expect(all).not.toContain('in this language');
  expect(all).toContain('You are shown the whole pull request again');
  const third = push(stage, THIRD, { diff: CHANGE + OTHER + LAST, fresh: LAST }).event.payload;
  const fresh = await review(third);
  expect(fresh).toContain(
    'Changed since your last review of 6dcb09b: 1 of 3 files of the pull request.',
  );

  const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
  const refused = { status: 200, body: { data: null, errors }, times: 20 };
  stage.github.fail({ route: 'POST /graphql', contains: 'reviewThreads', ...refused });
  const words = ['--event', 'event.json', '--review-scope', 'full', '--json'];
  const unread = await runCli(['run', 'reviewer', ...words], { cwd, env });
  expect(unread.stdout).toMatch(/"exit_code":1,"message":"Could not list earlier findings on #2/);
  expect(unread.exitCode).toBe(1);
});

let repo: GitRepo;
let data: string;
let model: ModelServer;

beforeEach(async () => {
  repo = makeGitRepo(tempDir('repo'));
  repo.commit('Begin', { 'src/auth.ts': 'export const attempts = 3;\n' });
  repo.commit('Allow more attempts', { 'src/auth.ts': 'export const attempts = 300;\n' });
  data = tempDir('data');
  model = await startModelServer(submitting('Too many attempts.'));
});

const memoryFile = () => join(data, 'axe/memory', projectSlug(repo.path), 'pr-reviewer.md');

const review = (...args: string[]) =>
  runCli(['run', 'builtin/pr-reviewer', ...args], {
    cwd: repo.path,
    env: { ...model.env, XDG_DATA_HOME: data },
  });

it('--git sends the diff, and memory keeps the sentence without it', async () => {
  const result = await review('--git', 'HEAD~1');
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Too many attempts.\n', stderr: '' });
  const diff = repo.git('diff', 'HEAD~1');
  const hunk = diff.slice(diff.indexOf('@@'));
  expect(hunk).toContain('+export const attempts = 300;');
  expect(model.prompts()[0]?.messages[0]).toContain(
    hunk.trimEnd().replace('+export', '+1: export'),
  );
  const memory = readFileSync(memoryFile(), 'utf8');
  expect(memory).toMatch(/^\*\*Task:\*\* .*HEAD~1/m);
  expect(memory).not.toContain('attempts = 300');
});

it('--git sends the beginning of a file over the limit next to one that fits, and says so', async () => {
  const rows = Array.from(
    { length: 9000 },
    (_, at) => `export const row${at} = lookUp(${at}, rows);\n`,
  );
  const files = { 'src/rows.ts': rows.join(''), 'src/auth.ts': 'export const attempts = 4;\n' };
  repo.commit('Add rows', files);
  const result = await review('--git', 'HEAD~1');
  expect(result.exitCode).toBe(0);
  const [sent = ''] = model.prompts()[0]?.messages ?? [];
  expect(sent).toContain('+1: export const row0 = ');
  expect(sent).toContain('[cut here: the rest of this file is not shown]');
  expect(result.stderr).toContain('1 file is not shown whole (src/rows.ts)');
});

it.each([
  [
    'a range that is not there',
    'nowhere..HEAD',
    /^cannot read the change "nowhere\.\.HEAD": .*nowhere/,
  ],
  [
    'a range that looks like a flag',
    '--output=stolen',
    /^cannot read the change "--output=stolen": /,
  ],
])('--git refuses %s, and calls no model', async (_, range, told) => {
  const result = await review(`--git=${range}`);
  expect(result).toMatchObject({ exitCode: 1, stdout: '' });
  expect(result.stderr).toMatch(told);
  expect(result.stderr).toContain('`main...HEAD`');
  expect(model.requests()).toEqual([]);
  expect(existsSync(join(data, 'axe'))).toBe(false);
  expect(existsSync(join(repo.path, 'stolen'))).toBe(false);
});

it('a piped diff is the change of the built-in reviewer, and memory keeps a sentence', async () => {
  const env = { ...model.env, XDG_DATA_HOME: data };
  const stdin = repo.git('diff', 'HEAD~1');
  const result = await runCli(['run', 'builtin/pr-reviewer'], { cwd: repo.path, env, stdin });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Too many attempts.\n', stderr: '' });
  expect(model.prompts()[0]?.messages[0]).toContain('+1: export const attempts = 300;');
  const memory = readFileSync(memoryFile(), 'utf8');
  expect(memory).toMatch(/^\*\*Task:\*\* Review the piped change$/m);
  expect(memory).not.toContain('attempts = 300');
});

it('the built-in reviewer calls no model if it has nothing to review', async () => {
  const result = await review();
  expect(result).toMatchObject({ exitCode: 1, stdout: '' });
  expect(result.stderr).toMatch(
    /^there is nothing to review\n {2}Name a change with `--git main\.\.\.HEAD`/,
  );
  expect(model.requests()).toEqual([]);
});

it('`builtin/ask` calls no model without a task', async () => {
  const env = { ...model.env, XDG_DATA_HOME: data };
  const result = await runCli(['run', 'builtin/ask'], { cwd: repo.path, env });
  expect(result).toMatchObject({ exitCode: 1, stdout: '' });
  expect(result.stderr).toMatch(/^there is nothing to do\n/);
  expect(model.requests()).toEqual([]);
});

describe('a review on this machine', () => {
  const FINDING = {
    path: 'src/auth.ts',
    line: 1,
    code: 'export const attempts = 300;',
    title: 'A password can be guessed',
    body: '300 attempts are allowed before an account is locked.',
    category: 'security',
    effect: 'breach',
    reach: 'always',
    evidence: [{ path: 'src/login.ts', line: 2, code: 'if (tries > attempts) lock(user);' }],
  };

  beforeEach(async () => {
    const login = "import { attempts } from './auth.js';\nif (tries > attempts) lock(user);\n";
    repo.commit('Log in', { 'src/login.ts': login });
    model = await startModelServer(
      withSecondLook([
        calls({ name: 'read_file', input: { path: 'src/login.ts' } }),
        calls({ name: 'add_review_comment', input: FINDING }, submit('The lock no longer locks.')),
        text('One finding.'),
      ]),
    );
  });

  it('reads the files around the change, and prints findings with their places', async () => {
    const result = await review('--git', 'HEAD~2..HEAD~1');
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toBe(`The lock no longer locks.

**1 finding**

- src/auth.ts:1 critical: A password can be guessed

**\`src/auth.ts:1\`** (critical, security): A password can be guessed

300 attempts are allowed before an account is locked.
`);
    const tools = [
      'list_directory',
      'read_file',
      'search_files',
      'add_review_comment',
      'submit_review',
    ];
    expect(model.prompts()[0]?.tools).toEqual(tools);
  });

  it('gives programs the findings in the form of `findings-file`', async () => {
    const { stdout } = await review('--git', 'HEAD~2..HEAD~1', '--json');
    const { findings } = JSON.parse(stdout);
    expect(findings).toMatchObject({
      version: 1,
      pull: null,
      counts: { total: 1, worst: 'critical' },
      findings: [{ path: 'src/auth.ts', line: 1, confidence: 'confirmed', isNew: true }],
    });
  });
});
