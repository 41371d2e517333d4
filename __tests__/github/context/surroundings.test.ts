import { describe, expect, it } from '@jest/globals';
import { fetchContext } from '../../../src/github/context/fetch-context.js';
import { fetchSurroundings } from '../../../src/github/context/surroundings.js';
import { fetchSubject } from '../../../src/github/reading/subject.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { nextId } from '../../helpers/github-review-state.js';
import { findingLine } from '../../helpers/marks.js';
import { comment, issue, pullRequest } from '../../helpers/triggers.js';
import { DIFF, type Hello, NAME, startHello } from '../hello-fixture.js';

const BOT = 'github-actions[bot]';
const AFTER = '2026-01-05T00:00:00Z';
const EVENT = '2026-01-04T00:00:00Z';

async function around({ client, place, headSha: sha }: Hello, at: string | undefined = EVENT) {
  const subject = fetchSubject(client, { ...place, isPull: true }, noAbort());
  const about = { pull: 42, subject, checked: { sha, maxLogs: 0 } };
  return await fetchSurroundings(client, pullRequest({ repository: HELLO, at }), about, noAbort());
}

function addFailure({ repo, headSha }: Hello): void {
  const { checkRuns, jobLogs } = repo.talk;
  const ended = { status: 'completed', conclusion: 'failure', app: 'github-actions' } as const;
  const said = { name: 'test', title: 'Failed', summary: '1 of 9', annotations: [] };
  checkRuns.push({ id: nextId(checkRuns), headSha, externalId: '', job: 3, ...said, ...ended });
  jobLogs.set(3, 'start\n##[error]test broke\n');
}

describe('the surroundings of a pull request', () => {
  it('are its commits, threads, conversation, linked issues and failing checks', async () => {
    const hello = await startHello();
    const { github, repo, baseSha, headSha } = hello;
    github.addIssue(NAME, { number: 7, title: 'It breaks', body: 'Always.', author: 'monalisa' });
    const base = { ref: 'main', sha: baseSha };
    const head = { ref: 'topic', sha: headSha, repository: NAME };
    github.addPull(NAME, { number: 42, body: 'Fixes #7', base, head, diff: DIFF });
    const body = `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nWrong.`;
    const finding = { path: 'src/a.ts', line: 3, body };
    const { id: review, comments } = seedReview(repo, { pull: 42, author: BOT, comments: [finding] });
    const reply = seedReply(repo, comments[0] ?? 0, { author: 'hubot', body: 'It is meant so.' });
    const said = github.addComment(NAME, { issue: 42, author: 'monalisa', body: 'And the docs?' });
    addFailure(hello);
    const { warnings, ...surroundings } = await around(hello);
    expect(warnings).toEqual([]);
    const lane = { lane: 'untrusted' };
    const writer = { author: { login: 'hubot', isBot: false }, isOurs: false, mayWrite: true, ...lane };
    const reader = { author: { login: 'monalisa', isBot: false }, isOurs: false, mayWrite: false, ...lane };
    const bot = { author: { login: BOT, isBot: true }, isOurs: true, lane: 'trusted', mayWrite: false };
    const remarks = [
      { ...bot, id: comments[0], reviewId: review, text: finding.body },
      { ...writer, id: reply, text: 'It is meant so.' },
    ];
    expect(surroundings).toEqual({
      commits: [expect.objectContaining({}), expect.objectContaining({ sha: headSha })],
      threads: [{ path: 'src/a.ts', line: 3, isResolved: false, isOutdated: false, remarks }],
      comments: [{ ...reader, id: said, text: 'And the docs?' }],
      issues: [
        { reference: '#7', isOpen: true, title: 'It breaks', remark: { ...reader, id: 0, text: 'Always.' } },
      ],
      checks: [{ name: 'test', conclusion: 'failure', summary: 'Failed\n\n1 of 9', log: undefined }],
    });
  });

  it('exclude what another workflow wrote with the same token', async () => {
    const hello = await startHello();
    hello.github.addComment(NAME, { issue: 42, author: BOT, body: 'Coverage: 80 %' });
    const surroundings = await around(hello);
    expect(surroundings.comments).toMatchObject([{ isOurs: false, mayWrite: false }]);
  });

  it('C5 71: exclude what was written or changed after the event, and count it', async () => {
    const hello = await startHello();
    const { repo, github } = hello;
    const early = [{ path: 'src/a.ts', line: 3, body: 'Early.' }];
    const { comments } = seedReview(repo, { pull: 42, author: 'hubot', comments: early });
    seedReply(repo, comments[0] ?? 0, { author: 'hubot', body: 'Changed later.', editedAt: AFTER });
    github.addComment(NAME, { issue: 42, author: 'hubot', body: 'Harmless at first.' });
    const [later] = repo.comments;
    if (later !== undefined) later.updatedAt = AFTER;
    github.addIssue(NAME, { number: 7, author: 'hubot' });
    repo.talk.edited.set(7, AFTER);
    const pull = repo.pulls.get(42);
    if (pull !== undefined) repo.pulls.set(42, { ...pull, body: 'Fixes #7' });
    const surroundings = await around(hello);
    expect(surroundings).toMatchObject({ comments: [], issues: [], changedLater: 3 });
    expect(surroundings.threads?.[0]?.remarks.map(({ text }) => text)).toEqual(['Early.']);
    expect((await around(hello, '2027-01-01T00:00:00Z')).changedLater).toBeUndefined();
  });
});

describe('the surroundings of other triggers', () => {
  it('are for an issue the conversation, without the comment that is answered', async () => {
    const { github, client } = await startHello();
    github.addIssue(NAME, { number: 7, author: 'octocat' });
    github.addComment(NAME, { issue: 7, author: 'hubot', body: 'Since Monday.' });
    const commentId = github.addComment(NAME, { issue: 7, author: 'hubot', body: 'Since when?' });
    expect(await fetchContext(client, issue(), noAbort())).toMatchObject({
      kind: 'none',
      comments: [{ text: 'Since Monday.' }, { text: 'Since when?' }],
    });
    const trigger = comment({ commentId });
    expect(await fetchContext(client, trigger, noAbort())).toMatchObject({
      comments: [{ text: 'Since Monday.' }],
    });
  });

  it('C5 71: are for a review the change of the commits that its event names', async () => {
    const { client, repo, baseSha, headSha, github } = await startHello();
    repo.comparisons.set(`${baseSha}...${headSha}`, DIFF);
    github.commit(NAME, { 'src/a.ts': 'sneaked in\n' }, { branch: 'topic' });
    const { head, base } = pullRequest({
      head: { sha: headSha, ref: 'topic', repository: NAME },
      base: { sha: baseSha, ref: 'main' },
    });
    const trigger = comment({ on: 'pull_request', number: 42, isFork: false, commits: { head, base } });
    const context = await fetchContext(client, trigger, noAbort());
    expect(context).toMatchObject({ kind: 'pull_request', diff: DIFF });
    expect(context).toMatchObject({ pinned: undefined });
  });
});
