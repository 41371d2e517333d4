import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ASSUMPTIONS } from '../../live/assumptions.js';
import type { LiveReport } from '../../live/live-check.js';
import { main } from '../../live/main.js';
import { formatPage, parseReports } from '../../live/page.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

const ROOT = resolve(import.meta.dirname, '../..');
const NAME = 'octocat/axe-scratch';

/** A new repository with a README, as CONTRIBUTING.md says. */
async function startScratch({ readOnly = false, validate = false } = {}) {
  const github = await startGitHubServer({ readOnly, validate });
  const repo = github.addRepo(NAME, { contents: 'write', isPrivate: true });
  github.commit(NAME, { 'README.md': '# Scratch\n' });
  return { github, repo };
}

function envOf(github: GitHubServer) {
  return { ...github.env, GH_TOKEN: GITHUB_TOKEN, GITHUB_ACTOR: 'monalisa' };
}

/** In this process, with a clock that does not wait. */
async function runLive(github: GitHubServer, ...more: readonly string[]) {
  const json = join(tempDir(), 'report.json');
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main({
    args: ['--repo', NAME, '--json', json, ...more],
    env: envOf(github),
    print: (line) => lines.push(line),
    say: (line) => errors.push(line),
    clock: createFakeClock(),
  });
  const report: LiveReport | undefined = existsSync(json)
    ? JSON.parse(readFileSync(json, 'utf8'))
    : undefined;
  return { code, report, output: lines.join('\n'), errors: errors.join('\n') };
}

const verdictsOf = ({ findings = [] }: Partial<LiveReport> = {}) =>
  Object.fromEntries(findings.map(({ id, verdict }) => [id, verdict]));

const BY_HAND = ASSUMPTIONS.filter((assumption) => assumption.try === undefined);

describe('the live check', () => {
  it('finds that everything holds for a token that can write, and removes what it made', async () => {
    const { github, repo } = await startScratch({ validate: true });
    const { code, report, output } = await runLive(github, '--burst');
    const isHeld = (id: string) =>
      id !== 'large' && !BY_HAND.some((assumption) => assumption.id === id);
    const expected = ASSUMPTIONS.map(({ id }) => [id, isHeld(id) ? 'holds' : 'not tried']);
    expect(verdictsOf(report)).toEqual(Object.fromEntries(expected));
    expect(code).toBe(0);
    expect([...repo.branches.keys()]).toEqual(['main']);
    expect([...repo.pulls.values()].map(({ state }) => state)).toEqual(['closed']);
    expect(report?.leftBehind).toEqual(['pull request #1, closed']);
    expect(report?.bills.map(({ formula, billed }) => formula === billed)).not.toContain(false);
    // The page is published.
    expect(JSON.stringify(report)).not.toContain(NAME);
    expect(output).toContain('Left behind: pull request #1, closed.');
  });

  it('writes nothing with a token that can only read, and reads what an earlier check left', async () => {
    const { github, repo } = await startScratch();
    await runLive(github);
    const before = JSON.stringify([
      [...repo.branches],
      [...repo.pulls],
      repo.talk,
      repo.git.commits.size,
    ]);
    repo.contents = 'read';
    const { code, report } = await runLive(github);
    const after = JSON.stringify([
      [...repo.branches],
      [...repo.pulls],
      repo.talk,
      repo.git.commits.size,
    ]);
    expect(after).toBe(before);
    const verdicts = verdictsOf(report);
    expect(verdicts).toMatchObject({
      'memory-rules': 'holds',
      'memory-create': 'not allowed',
      pull: 'not allowed',
      review: 'not tried',
      resolve: 'holds',
      permission: 'holds',
    });
    expect(Object.values(verdicts)).not.toContain('does not');
    expect(code).toBe(0);
  });

  it('says which assumption does not hold, in the words of GitHub', async () => {
    const { github, repo } = await startScratch();
    const body = { message: 'The branch has gone elsewhere.' };
    const route = 'POST /repos/{owner}/{repo}/git/refs';
    github.fail({ route, status: 422, body, skip: 1 });
    const { code, report, output } = await runLive(github);
    expect(verdictsOf(report)).toMatchObject({ 'ref-exists': 'does not', 'commit-moved': 'holds' });
    expect(output).toMatch(/^does not .*The branch has gone elsewhere/m);
    expect(code).toBe(1);
    expect([...repo.branches.keys()]).toEqual(['main']);
  });

  it.each([
    ['before it writes', 0, /^GitHub .*rate limit.*Nothing was written/s],
    ['in the middle', 12, /^GitHub limits this account, so the check could not end/],
  ])('ends with 2 if GitHub limits the account %s', async (_, skip, words) => {
    const { github, repo } = await startScratch();
    const resetS = Math.round(createFakeClock().now().getTime() / 1000) + 3000;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${resetS}` };
    const body = { message: 'API rate limit exceeded for user ID 1.' };
    for (const route of [
      'GET /repos/{owner}/{repo}',
      'POST /repos/{owner}/{repo}/git/refs',
      'POST /graphql',
    ])
      github.fail({ route, status: 403, headers, body, skip: skip / 3, times: 1000 });
    const { code, report, errors } = await runLive(github);
    expect(code).toBe(2);
    expect(errors).toMatch(words);
    expect(Object.values(verdictsOf(report))).not.toContain('does not');
    expect([...repo.branches.keys()]).toEqual(['main']);
  });
});

describe('a repository that is not for it', () => {
  it.each([
    ['a name without `scratch`', ['--repo', 'octocat/production'], /`scratch` in its name/],
    ['no name', [], /^Usage:/],
    ['half a name', ['--repo', 'axe-scratch'], /^Usage:/],
  ])('is refused: %s', async (_, args, words) => {
    const { github } = await startScratch();
    const { code, errors } = await runLiveWith(github, args);
    expect(code).toBe(2);
    expect(errors).toMatch(words);
    expect(github.calls()).toEqual([]);
  });

  it('is refused if it has been renamed, and its former name has the word', async () => {
    const { github } = await startScratch();
    const body = {
      name: 'production',
      owner: { login: 'octocat' },
      default_branch: 'main',
      private: false,
    };
    github.fail({ route: 'GET /repos/{owner}/{repo}', status: 200, body });
    const { code, errors } = await runLive(github);
    expect([code, errors]).toEqual([2, expect.stringContaining('octocat/production does not')]);
    expect(github.calls()).toEqual(['GET /repos/{owner}/{repo}']);
  });
});

async function runLiveWith(github: GitHubServer, args: readonly string[]) {
  const errors: string[] = [];
  const say = (line: string) => void errors.push(line);
  const code = await main({ args, env: envOf(github), print: say, say, clock: createFakeClock() });
  return { code, errors: errors.join('\n') };
}

describe('as a process', () => {
  it('is killed in the middle, and the next one removes what it left', async () => {
    const { github, repo } = await startScratch();
    const env = { ...process.env, ...envOf(github) };
    const child = spawn(process.execPath, ['live/run.js', '--repo', NAME], { cwd: ROOT, env });
    github.onRequest(({ path, method }) => {
      if (method === 'POST' && path.endsWith('/pulls')) child.kill('SIGKILL');
    });
    await new Promise((ended) => child.on('close', ended));
    expect([...repo.branches.keys()].filter((name) => name.startsWith('axe-live-'))).toHaveLength(
      3,
    );

    repo.contents = 'read';
    await runLive(github);
    expect([...repo.branches.keys()].filter((name) => name.startsWith('axe-live-'))).toHaveLength(
      3,
    );

    repo.contents = 'write';
    const { code, report } = await runLive(github);
    expect(code).toBe(0);
    expect(Object.values(verdictsOf(report))).not.toContain('does not');
    expect([...repo.branches.keys()]).toEqual(['main']);
  });

  it('writes a report and the page, by the commands of CONTRIBUTING.md', async () => {
    const { github } = await startScratch({ readOnly: true });
    const folder = tempDir();
    const run = (...args: readonly string[]) =>
      new Promise<{ code: unknown; output: string }>((done) => {
        const env = { ...process.env, ...envOf(github) };
        execFile(
          process.execPath,
          ['live/run.js', ...args],
          { cwd: ROOT, env },
          (error, ...texts) => done({ code: error?.code ?? 0, output: texts.join('') }),
        );
      });
    const json = join(folder, 'read.json');
    expect(await run('--repo', NAME, '--json', json)).toMatchObject({ code: 0 });
    const page = join(folder, 'page.md');
    expect(await run('--from', json, '--page', page)).toMatchObject({ code: 0 });
    const reports = parseReports(JSON.parse(readFileSync(join(folder, 'page.json'), 'utf8')));
    expect(readFileSync(page, 'utf8')).toBe(formatPage(reports));
    expect(reports).toHaveLength(1);
  });
});

describe('the page', () => {
  it('is what its reports say', () => {
    const [page, json] = ['md', 'json'].map((kind) =>
      join(ROOT, `docs/verified-on-github.${kind}`),
    );
    if (page === undefined || json === undefined || !existsSync(page)) {
      expect(existsSync(json ?? '')).toBe(false);
      return;
    }
    const reports = parseReports(JSON.parse(readFileSync(json, 'utf8')));
    expect(readFileSync(page, 'utf8')).toBe(formatPage(reports));
  });

  it('refuses a file that is not a report', async () => {
    const file = join(tempDir(), 'no.json');
    writeFileSync(file, '{"at":"yesterday"}');
    const errors: string[] = [];
    const args = ['--from', file, '--page', join(tempDir(), 'page.md')];
    const say = (line: string) => void errors.push(line);
    expect(await main({ args, env: {}, print: say, say })).toBe(2);
    expect(errors.join()).toMatch(/no\.json is not a report of `npm run live`/);
  });

  it('shows the words of GitHub as text', () => {
    const finding = {
      id: 'a',
      assumes: 'a | b',
      verdict: 'holds',
      seen: '<b>@octocat</b> | [x](y)',
    };
    const page = formatPage(
      parseReports({
        at: '2026-01-02T03:04:05.000Z',
        version: '1.0.0',
        server: 'https://github.com',
        token: "a person's",
        findings: [finding],
        bills: [{ query: '{ a }', formula: 1, billed: null, nodes: 4 }],
        requests: { rest: 1, graphql: 2, points: 3 },
        leftBehind: [],
      }),
    );
    expect(page).toContain('| a \\| b | holds | \\<b\\>@\u200boctocat\\</b\\> \\| \\[x\\](y) |');
    expect(page).toContain('| `{ a }` | 1 | ? | 4 |');
    expect(page).toContain('holds 1, does not 0, not allowed 0, not tried 0.');
  });
});
