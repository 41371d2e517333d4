import { describe, expect, it } from '@jest/globals';
import { createAgentLoader } from '../../src/agent/loader.js';
import { parseEvent } from '../../src/event/parse-event.js';
import type { Trigger } from '../../src/event/trigger.js';
import { refPlace } from '../../src/github/agents/read-ref.js';
import { createGitHubClient, type GitHubClient } from '../../src/github/client/client.js';
import { fetchContext } from '../../src/github/context/fetch-context.js';
import { publishSticky } from '../../src/github/posting/sticky-comment.js';
import { readFileAt } from '../../src/github/reading/contents.js';
import { fetchPermission } from '../../src/github/reading/permissions.js';
import { answerMark, framedBody } from '../../src/review/publication.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

const signal = new AbortController().signal;
const AGENT = 'name = "bot"\nmodel = "anthropic/claude-sonnet-4-5"\nfiles = ["docs/*.md"]\n';
const DIFF =
  'diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-old\n+new\n';
const BASE = {
  'axe/agents/bot.toml': AGENT,
  'axe/skills/review/SKILL.md': 'Be kind.',
  'docs/a.md': 'A',
  'README.md': 'old',
};

type Subject = Extract<Trigger, { kind: 'pull_request' }>;

/** GitHub's example pull request, on a GitHub whose every answer is held against its own description. */
async function pullRequest(): Promise<{ github: GitHubServer; client: GitHubClient; trigger: Subject }> {
  const github = await startGitHubServer();
  const payload = loadWebhook('pull_request', 'opened');
  const repo = github.seed(payload, { base: BASE, diff: DIFF });
  const trigger = parseEvent('pull_request', payload, {});
  if (trigger.kind !== 'pull_request') throw new Error('not a pull request');
  repo.comparisons.set(`${trigger.base.sha}...${trigger.head.sha}`, DIFF);
  const client = await createGitHubClient({
    token: GITHUB_TOKEN,
    apiUrl: github.env.GITHUB_API_URL,
    graphqlUrl: github.env.GITHUB_GRAPHQL_URL,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/test',
    clock: createFakeClock(),
  });
  return { github, client, trigger };
}

describe('over the wire', () => {
  it('fetches the diff and the files of a pull request', async () => {
    const { client, trigger } = await pullRequest();
    expect(await fetchContext(client, trigger, signal)).toEqual({
      kind: 'pull_request',
      diff: DIFF,
      files: [{ path: 'README.md', status: 'modified', additions: 1, deletions: 1 }],
      filesTotal: 1,
      commits: [],
      threads: [],
      comments: [],
      issues: [],
      checks: [],
      warnings: [],
    });
  });

  it('puts a diff together that GitHub finds too large', async () => {
    const { github, client, trigger } = await pullRequest();
    github.fail({ route: 'GET /repos/{owner}/{repo}/compare/{basehead}', accept: 'diff', status: 406 });
    expect(await fetchContext(client, trigger, signal)).toMatchObject({
      diff: DIFF,
      warnings: [{ code: 'context-incomplete' }],
    });
  });

  it('loads an agent, its skill and its context files at the base', async () => {
    const { client, trigger } = await pullRequest();
    const { repository } = trigger;
    const place = { client, repository, ref: trigger.base.sha };
    const library = createAgentLoader([refPlace({ ...place, dirs: ['axe/agents', '.axe/agents'], signal })]);
    const { config } = await library.loadAgent('bot');
    expect(config.model).toBe('anthropic/claude-sonnet-4-5');
    expect(await library.loadSkill('review')).toBe('Be kind.');
    expect(await library.loadContextFiles(config.files, '')).toEqual({
      files: [{ path: 'docs/a.md', content: 'A' }],
      warnings: [],
    });
    expect(await readFileAt(place, { path: 'README.md' }, signal)).toBe('old');
    expect(await readFileAt(place, { path: 'missing.md' }, signal)).toBeUndefined();
    await expect(library.loadAgent('other')).rejects.toMatchObject({
      message: 'agent config not found: other',
      remedy: expect.stringContaining('`bot`'),
    });
  });

  it('learns a permission', async () => {
    const { github, client, trigger } = await pullRequest();
    const { repository } = trigger;
    github.addRepo('octocat/hello', { roles: { hubot: 'maintain' } });
    const hello = { ...repository, owner: 'octocat', name: 'hello' };
    expect(await fetchPermission(client, { repository: hello, login: 'hubot' }, signal)).toEqual({
      kind: 'known',
      permission: 'maintain',
    });
  });

  it('keeps one sticky comment, even if the answer to its creation is lost', async () => {
    const { github, client, trigger } = await pullRequest();
    const { repository, number } = trigger;
    const publish = (text: string) => {
      const mark = answerMark('bot', 'trusted');
      const body = framedBody({ mark, text, footer: '' });
      return publishSticky(client, { repository, number, mark, body }, signal);
    };
    github.fail({
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      status: 502,
      afterEffect: true,
    });
    expect(await publish('one')).toMatchObject({ kind: 'published', created: true });
    expect(await publish('two')).toMatchObject({ kind: 'published', created: false });
    expect(
      github.requests().filter(({ method, path }) => method === 'POST' && path.endsWith('/comments')),
    ).toHaveLength(1);
  });
});
