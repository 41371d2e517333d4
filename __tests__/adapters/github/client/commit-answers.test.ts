import { describe, expect, it } from '@jest/globals';
import { rememberCommits } from '../../../../src/adapters/github/client/commit-answers.js';
import { createFakeGitHubClient, failure, noAbort } from '../../../helpers/github-client-fake.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const BASE = 'a'.repeat(40);
const HEAD = 'b'.repeat(40);
const REPO = { owner: 'octocat', repo: 'hello' };

describe('what commits hold', () => {
  const file = { ...REPO, path: 'a.ts', ref: HEAD };

  it.each([
    ['a comparison', COMPARE, { ...REPO, basehead: `${BASE}...${HEAD}` }],
    ['a file of a commit', CONTENTS, file],
    ['a blob', BLOB, { ...REPO, file_sha: BASE }],
  ])('is asked for once: %s', async (_, route, params) => {
    const { ask, fake } = stage();
    const first = await ask(route, params);
    expect(await ask(route, params)).toEqual(first);
    expect(fake.requests).toHaveLength(1);
  });

  it.each([
    ['of a branch', CONTENTS, { ...file, ref: 'main' }],
    ['of a short id', CONTENTS, { ...file, ref: HEAD.slice(0, 7) }],
    ['between branches', COMPARE, { ...REPO, basehead: `main...${HEAD}` }],
    ['of no commit', ISSUE, { ...REPO, issue_number: 1 }],
  ])('is asked for again where it can change: %s', async (_, route, params) => {
    const { ask, fake } = stage();
    await ask(route, params);
    await ask(route, params);
    expect(fake.requests).toHaveLength(2);
  });

  it('is told apart by path, repository and media type', async () => {
    const { client, fake } = stage();
    for (const params of [file, { ...file, path: 'b.ts' }, { ...file, repo: 'other' }])
      for (const accept of ['application/json', 'application/vnd.github.diff'])
        await client.request(CONTENTS, { params, accept, signal: noAbort() });
    expect(fake.requests).toHaveLength(6);
  });

  it('is asked for again after an error', async () => {
    const errors = [failure(502)];
    const { ask, fake } = stage(() => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'there';
    });
    await expect(ask(CONTENTS, file)).rejects.toThrow('502');
    expect(await ask(CONTENTS, file)).toBe('there');
    expect(fake.requests).toHaveLength(2);
  });

  it.each([
    ['text', (bytes: number) => 'x'.repeat(bytes)],
    ['bytes', (bytes: number) => new ArrayBuffer(bytes)],
    ['JSON', (bytes: number) => ({ content: 'x'.repeat(bytes - 14) })],
  ])('is kept up to 32 MiB, the newest of it: %s', async (_, make) => {
    const { ask, fake } = stage(() => make(12 * 1024 * 1024));
    const paths = ['a.ts', 'b.ts', 'c.ts'];
    for (const path of paths) await ask(CONTENTS, { ...file, path });
    await ask(CONTENTS, { ...file, path: 'c.ts' });
    await ask(CONTENTS, { ...file, path: 'b.ts' });
    expect(fake.requests).toHaveLength(3);
    await ask(CONTENTS, { ...file, path: 'a.ts' });
    expect(fake.requests).toHaveLength(4);
  });

  it('is not kept if it is larger than that', async () => {
    const { ask, fake } = stage(() => new ArrayBuffer(33 * 1024 * 1024));
    await ask(CONTENTS, file);
    await ask(CONTENTS, file);
    expect(fake.requests).toHaveLength(2);
  });

  it('is not given to whoever was stopped', async () => {
    const { client, ask } = stage();
    await ask(CONTENTS, file);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(client.request(CONTENTS, { params: file, signal })).rejects.toThrow('stopped');
  });

  it('leaves GraphQL alone', async () => {
    const { client, fake } = stage();
    const ask = () => client.graphql('query { viewer { login } }', { variables: {}, signal: noAbort() });
    expect([await ask(), await ask()]).toEqual(['graphql 1', 'graphql 2']);
    expect(fake.requests).toHaveLength(2);
  });
});

function stage(answer?: () => unknown) {
  let count = 0;
  const numbered = (route: string) => () => {
    count += 1;
    return answer === undefined ? `${route} ${count}` : answer();
  };
  const routes = [COMPARE, CONTENTS, BLOB, ISSUE, 'graphql'];
  const fake = createFakeGitHubClient(Object.fromEntries(routes.map((route) => [route, numbered(route)])));
  const client = rememberCommits(fake);
  const ask = async (route: string, params: Readonly<Record<string, unknown>>) =>
    (await client.request(route, { params, signal: noAbort() })).body;
  return { client, ask, fake };
}
