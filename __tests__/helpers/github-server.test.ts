import { describe, expect, it } from '@jest/globals';
import { makeGitRepo } from './git-repo.js';
import { GITHUB_TOKEN, startGitHubServer } from './github-server.js';
import { tempDir } from './temp.js';
import { loadWebhook } from './webhooks.js';

const REPO = 'octocat/Hello-World';
const COMMENTS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on PullRequest { comments(first: 2, after: $after) { nodes { databaseId body viewerDidAuthor author { login } } pageInfo { hasNextPage endCursor } } }
    }
  }
}`;

function send(url: string, init: { method?: string; accept?: string; body?: unknown; token?: string } = {}) {
  return fetch(url, {
    method: init.method ?? 'GET',
    headers: {
      accept: init.accept ?? 'application/vnd.github+json',
      authorization: `token ${init.token ?? GITHUB_TOKEN}`,
      'x-github-api-version': '2022-11-28',
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
}

async function startWithFiles() {
  const github = await startGitHubServer();
  github.addRepo(REPO, { roles: { octocat: 'admin', hubot: 'triage', ghost: 'missing' } });
  github.commit(REPO, {
    'README.md': '# Hello\n',
    'axe/agents/reviewer.toml': 'name = "reviewer"\n',
    'axe/skills/review/SKILL.md': '# Review\n',
    'latest.md': { link: 'README.md' },
    'outside.md': { link: '../../etc/passwd' },
  });
  return { github, at: `${github.url}/repos/${REPO}` };
}

describe('the fake GitHub', () => {
  it('serves files as JSON and raw, folders, links, and trees as git knows them', async () => {
    const { github, at } = await startWithFiles();
    const file = (await (await send(`${at}/contents/axe/agents/reviewer.toml`)).json()) as {
      content: string;
    };
    expect(Buffer.from(file.content, 'base64').toString()).toBe('name = "reviewer"\n');
    const raw = await send(`${at}/contents/axe%2Fskills%2Freview%2FSKILL.md?ref=main`, {
      accept: 'application/vnd.github.raw+json',
    });
    expect(await raw.text()).toBe('# Review\n');
    expect(raw.headers.get('content-type')).toBe('application/vnd.github.raw+json; charset=utf-8');
    const folder = (await (await send(`${at}/contents/axe`)).json()) as { name: string; type: string }[];
    expect(folder.map(({ name, type }) => `${type} ${name}`)).toEqual(['dir agents', 'dir skills']);
    const link = (await (await send(`${at}/contents/outside.md`)).json()) as { type: string };
    expect(link.type).toBe('symlink');
    const followed = (await (await send(`${at}/contents/latest.md`)).json()) as { path: string };
    expect(followed.path).toBe('README.md');
    expect((await send(`${at}/contents/nothing.md`)).status).toBe(404);
    const tree = (await (await send(`${at}/git/trees/main?recursive=1`)).json()) as {
      tree: { sha: string }[];
      sha: string;
    };
    const git = makeGitRepo(tempDir());
    git.commit('same files', {
      'README.md': '# Hello\n',
      'axe/agents/reviewer.toml': 'name = "reviewer"\n',
      'axe/skills/review/SKILL.md': '# Review\n',
    });
    const listed = git.git('ls-tree', '-r', '-t', 'HEAD').trim().split('\n');
    expect(tree.tree.map(({ sha }) => sha)).toEqual(
      expect.arrayContaining(listed.map((line) => line.split(/\s/)[2])),
    );
    const blob = await send(`${at}/git/blobs/${tree.tree.at(-1)?.sha}`);
    expect(blob.status).toBe(200);
    expect(await github.takeViolations()).toEqual([]);
  });

  it('serves a pull request of a real payload: its description, diff, files in pages and author', async () => {
    const github = await startGitHubServer();
    const git = makeGitRepo(tempDir());
    git.commit('base', { 'a.txt': 'one\n', 'b.txt': 'b\n' });
    git.commit('head', { 'a.txt': 'one\ntwo\n', 'c.txt': 'c\n' });
    const diff = git.git('diff', 'HEAD~1', 'HEAD');
    const payload = loadWebhook('pull_request', 'opened', { 'pull_request.title': 'Fix auth' });
    const repo = github.seed(payload, { diff });
    const at = `${github.url}/repos/${repo.owner}/${repo.name}/pulls/2`;
    const pull = (await (await send(at)).json()) as {
      title: string;
      changed_files: number;
      additions: number;
    };
    expect(pull).toMatchObject({ title: 'Fix auth', changed_files: 2, additions: 2 });
    const asDiff = await send(at, { accept: 'application/vnd.github.diff' });
    expect(await asDiff.text()).toBe(diff);
    const first = await send(`${at}/files?per_page=1`);
    expect(await first.json()).toMatchObject([
      { filename: 'a.txt', status: 'modified', patch: '@@ -1 +1,2 @@\n one\n+two' },
    ]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1];
    expect(await (await send(next ?? '')).json()).toMatchObject([{ filename: 'c.txt', status: 'added' }]);
    repo.comparisons.set('main...topic', diff);
    const compared = await send(`${github.url}/repos/${repo.owner}/${repo.name}/compare/main...topic`, {
      accept: 'application/vnd.github.diff',
    });
    expect(await compared.text()).toBe(diff);
    expect(await github.takeViolations()).toEqual([]);
  });

  it.each([
    ['octocat', 200, 'admin', 'admin'],
    ['hubot', 200, 'read', 'triage'],
    ['stranger', 200, 'read', 'read'],
    ['ghost', 404, undefined, undefined],
    ['dependabot[bot]', 404, undefined, undefined],
  ])('returns the permission of %s', async (login, status, permission, role) => {
    const { at } = await startWithFiles();
    const answer = await send(`${at}/collaborators/${encodeURIComponent(login)}/permission`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(
      permission === undefined ? {} : { permission, role_name: role },
    );
  });

  it('creates, lists and changes comments, and marks by GraphQL the viewer’s own', async () => {
    const { github, at } = await startWithFiles();
    github.addPull(REPO, {
      number: 7,
      base: { ref: 'main', sha: github.commit(REPO, {}) },
      head: { ref: 'topic', sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821', repository: null },
    });
    expect((await send(`${at}/pulls/7`)).status).toBe(200);
    github.addComment(REPO, { issue: 7, author: 'stranger', body: 'Hi' });
    github.addComment(REPO, { issue: 7, author: 'hubot', body: 'Hello' });
    const created = await send(`${at}/issues/7/comments`, { method: 'POST', body: { body: 'Looks good' } });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: number };
    await send(`${at}/issues/comments/${id}`, { method: 'PATCH', body: { body: 'Looks better' } });
    const listed = (await (await send(`${at}/issues/7/comments?per_page=100`)).json()) as { body: string }[];
    expect(listed.map(({ body }) => body)).toEqual(['Hi', 'Hello', 'Looks better']);
    const variables = { owner: 'octocat', name: 'Hello-World', number: 7 };
    const page = async (after: string | null) => {
      const answer = await send(github.env.GITHUB_GRAPHQL_URL, {
        method: 'POST',
        body: { query: COMMENTS_QUERY, variables: { ...variables, after } },
      });
      const { data } = (await answer.json()) as {
        data: {
          repository: {
            issueOrPullRequest: { comments: { nodes: unknown[]; pageInfo: { endCursor: string } } };
          };
        };
      };
      return data.repository.issueOrPullRequest.comments;
    };
    const first = await page(null);
    expect(first.nodes).toMatchObject([{ viewerDidAuthor: false }, { viewerDidAuthor: false }]);
    expect((await page(first.pageInfo.endCursor)).nodes).toEqual([
      { databaseId: id, body: 'Looks better', viewerDidAuthor: true, author: { login: 'github-actions' } },
    ]);
    expect(await github.takeViolations()).toEqual([]);
  });

  it('rejects a request and a GraphQL query that GitHub does not describe', async () => {
    const { github, at } = await startWithFiles();
    github.addIssue(REPO, { number: 1 });
    await send(`${at}/issues/1/comments`, { method: 'POST', body: { text: 'wrong key' } });
    await send(`${at}/no/such/thing`);
    await send(github.env.GITHUB_GRAPHQL_URL, { method: 'POST', body: { query: '{ viewer { nickname } }' } });
    const violations = (await github.takeViolations()).join('\n');
    expect(violations).toContain("request: Request body must have required property 'body'");
    expect(violations).toContain('/no/such/thing');
    expect(violations).toContain('Cannot query field "nickname"');
  });

  it('rejects an answer of its own that GitHub does not describe', async () => {
    const { github, at } = await startWithFiles();
    github
      .repo(REPO)
      .comments.push({ id: 1.5, issue: 1, author: 'octocat', body: '', createdAt: 'x', updatedAt: 'y' });
    await send(`${at}/issues/comments/1.5`);
    expect((await github.takeViolations()).join('\n')).toContain(
      'response: Response body property id must be integer',
    );
  });

  it('fails as configured: instead of the effect, after it, and by cutting the connection', async () => {
    const { github, at } = await startWithFiles();
    github.addIssue(REPO, { number: 1 });
    const post = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    github.fail({ route: post, status: 403, body: { message: 'no' }, headers: { 'retry-after': '1' } });
    github.fail({ route: post, status: 502, body: '<html>', afterEffect: true });
    github.fail({ route: post, status: 'disconnect' });
    const say = () => send(`${at}/issues/1/comments`, { method: 'POST', body: { body: 'Hello' } });
    expect((await say()).status).toBe(403);
    expect(github.repo(REPO).comments).toHaveLength(0);
    expect((await say()).status).toBe(502);
    expect(github.repo(REPO).comments).toHaveLength(1);
    await expect(say()).rejects.toThrow();
    expect((await say()).status).toBe(201);
    github.fail({ route: 'GET /repos/{owner}/{repo}/contents/{path}', accept: 'raw', status: 500 });
    expect((await send(`${at}/contents/README.md`)).status).toBe(200);
    expect(
      (await send(`${at}/contents/README.md`, { accept: 'application/vnd.github.raw+json' })).status,
    ).toBe(500);
  });

  it('refuses a wrong token', async () => {
    const { at } = await startWithFiles();
    expect((await send(at, { token: 'ghs_wrong' })).status).toBe(401);
  });
});
