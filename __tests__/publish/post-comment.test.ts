import { describe, expect, it } from '@jest/globals';
import type { GitHubClient } from '../../src/github/client/client.js';
import { warningText } from '../../src/lib/warning.js';
import { postComment, postReport, type Report } from '../../src/publish/post-comment.js';
import { answerMark, framedBody } from '../../src/review/comment-text.js';
import { formatMark } from '../../src/safety/mark.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { comment, pullRequest } from '../helpers/triggers.js';

const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';

async function start() {
  const hello = await startHello();
  const question = { path: 'src/a.ts', line: 2, body: '@axe why?' };
  const { comments } = seedReview(hello.repo, { pull: 42, author: 'octocat', comments: [question] });
  const commentId = comments[0] ?? 0;
  const agent = `bot/reply-${commentId}`;
  const mark = answerMark(agent, 'trusted');
  const sticky = { ...hello.place, mark, body: framedBody({ mark, text: 'Because.', footer: '' }) };
  const onLine = comment({
    event: 'pull_request_review_comment',
    on: 'pull_request',
    number: 42,
    commentId,
  });
  return { ...hello, commentId, sticky, onLine };
}

describe('a comment', () => {
  it('on a line is answered in its thread, once', async () => {
    const { client, repo, onLine, sticky, commentId } = await start();
    const post = () => postComment(client, { trigger: onLine, comment: sticky }, noAbort());
    const first = await post();
    expect(first).toMatchObject({ line: 'Answered in a thread of #42.' });
    expect(await post()).toEqual({ ...first, line: 'The answer is already in the thread of #42.' });
    const answers = repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === commentId);
    expect(answers.map(({ body }) => body)).toEqual([sticky.body]);
    expect(repo.comments).toEqual([]);
  });

  it('on a line is answered in the conversation if its thread cannot be used', async () => {
    const { client, github, repo, onLine, sticky } = await start();
    github.fail({ ...denied(REPLY, 'pull_requests=write'), times: 1 });
    const result = await postComment(client, { trigger: onLine, comment: sticky }, noAbort());
    expect(result).toMatchObject({ line: 'Posted a comment on #42.' });
    expect(repo.comments.map(({ body }) => body)).toEqual([sticky.body]);
  });

  it('on a pull request is sticky', async () => {
    const { client, repo, sticky } = await start();
    const post = () => postComment(client, { trigger: pullRequest(), comment: sticky }, noAbort());
    expect(await post()).toMatchObject({ line: 'Posted a comment on #42.' });
    expect(await post()).toMatchObject({ line: 'Updated the comment on #42.' });
    expect(repo.comments).toHaveLength(1);
  });
});

/** The hidden line of the report. */
const MARK = formatMark({
  kind: 'report',
  agent: 'bot',
  workflow: '.github/workflows/nightly.yml',
  lane: 'trusted',
});

async function post(client: GitHubClient | undefined, patch: Partial<Report> = {}) {
  const warnings: string[] = [];
  const report: Report = {
    repository: HELLO,
    agent: 'bot',
    workflow: '.github/workflows/nightly.yml',
    text: 'All is well.',
    footer: '<sub>by us</sub>',
    lane: 'trusted',
    ...patch,
  };
  const published = await postReport(client, report, {
    reporter: { event: () => undefined, warn: (warning) => void warnings.push(warningText(warning)) },
    clean: (markdown) => markdown.replaceAll('@', ''),
    cleanTitle: (title) => title.replaceAll('@', ''),
  });
  return { published, warnings };
}

describe('a report', () => {
  it('is one issue with marker, sanitized text and footer, whose body is replaced', async () => {
    const { client, repo } = await startHello();
    const first = await post(client, { text: 'Ask @octocat.' });
    expect(first.published.line).toBe('Opened the report #43.');
    expect(repo.issues.get(43)).toMatchObject({
      title: 'Report of bot',
      body: `${MARK}\nAsk octocat.\n\n<sub>by us</sub>`,
    });
    const second = await post(client);
    expect(second.published).toEqual({ ...first.published, line: 'Updated the report #43.' });
    expect(repo.issues.get(43)?.body).not.toContain('octocat');
  });

  it.each<[string, Partial<Report>]>([
    ['another agent', { agent: 'other' }],
    ['another workflow', { workflow: '.github/workflows/weekly.yml' }],
  ])('from %s is another issue', async (_, patch) => {
    const { client, repo } = await startHello();
    await post(client);
    await post(client, patch);
    expect(repo.issues.size).toBe(2);
  });

  it('is not written into somebody else’s issue that has our marker', async () => {
    const { client, github, repo } = await startHello();
    const body = `${MARK}\nMine.`;
    github.addIssue('octocat/hello', { number: 50, author: 'monalisa', body });
    await post(client);
    expect(repo.issues.get(50)?.body).toBe(body);
    expect(repo.issues.size).toBe(2);
  });

  it('that is too long is cut, and says so above its footer', async () => {
    const { client, repo } = await startHello();
    await post(client, { text: 'x'.repeat(70_000) });
    const body = repo.issues.get(43)?.body ?? '';
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toMatch(/the rest is in the job summary\.\*\n\n<sub>by us<\/sub>$/);
  });

  it('that cannot be written is a warning with the line to add', async () => {
    const { client, github } = await startHello();
    github.fail(denied('POST /repos/{owner}/{repo}/issues', 'issues=write'));
    const { published, warnings } = await post(client);
    expect(published).toEqual({ line: undefined, url: undefined, failure: warnings[0] });
    expect(warnings).toEqual([expect.stringMatching(/^the answer is in the job summary.*`issues: write`/)]);
    expect((await post(undefined)).warnings).toEqual([expect.stringContaining('`github-token`')]);
  });
});
