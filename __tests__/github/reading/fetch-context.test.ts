import { describe, expect, it } from '@jest/globals';
import { fetchContext } from '../../../src/github/reading/fetch-context.js';
import { warningText } from '../../../src/lib/errors.js';
import { addCheckRun } from '../../helpers/github-checks.js';
import {
  type Answer,
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { findingLine } from '../../helpers/marks.js';
import { comment, issue, pullRequest, workflowRun } from '../../helpers/triggers.js';
import {
  denied,
  emptyPull,
  DIFF as HELLO_DIFF,
  type Hello,
  NAME,
  sidesOf,
  startHello,
} from '../hello-fixture.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const NEWER = 'c'.repeat(40);

const sides = sidesOf({ headSha: HEAD, baseSha: BASE });
const trigger = pullRequest({ action: 'synchronize', repository: HELLO, ...sides });

const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n';

function file(filename: string, patch?: string, status = 'modified'): Record<string, unknown> {
  return {
    filename,
    status,
    additions: 1,
    deletions: 1,
    ...(patch === undefined ? {} : { patch }),
  };
}

interface Server {
  readonly diff?: Answer;
  readonly files?: readonly unknown[];
  /** Files between the event's commits, as a comparison lists them. */
  readonly pinnedFiles?: readonly unknown[];
  readonly headSha?: string;
  readonly changedFiles?: number;
}

/** A pull request as GitHub holds it now. */
function github(server: Server): FakeGitHubClient {
  const files = server.files ?? [file('a.ts', '@@ -1 +1 @@\n-old\n+new')];
  return createFakeGitHubClient({
    [COMPARE]: (request) => {
      if (request.accept === undefined) return { files: server.pinnedFiles ?? files };
      return server.diff === undefined ? DIFF : server.diff(request);
    },
    [FILES]: ({ params }) => {
      const [page, size] = [Number(params['page']), Number(params['per_page'])];
      return files.slice((page - 1) * size, page * size);
    },
    graphql: () => {
      const now = {
        headRefOid: server.headSha ?? HEAD,
        changedFiles: server.changedFiles ?? files.length,
      };
      return { repository: { issueOrPullRequest: emptyPull(now) } };
    },
  });
}

function refuse(status: number, message: string): Answer {
  return () => {
    throw failure(status, 'GET /repos/octocat/hello/compare/x', message);
  };
}

const TOO_LARGE = refuse(406, 'Sorry, the diff exceeded the maximum number of files (300)');

async function fetched(server: Server) {
  const client = github(server);
  const context = await fetchContext(client, trigger, noAbort());
  if (context.kind !== 'pull_request') throw new Error('not a pull request');
  return { client, ...context, messages: context.warnings.map(warningText) };
}

describe('the context of a pull request', () => {
  it('C5 71: compares the two commits of the event', async () => {
    const { client } = await fetched({});
    expect(client.requests.find((request) => request.route === COMPARE)).toEqual({
      route: COMPARE,
      params: { owner: 'octocat', repo: 'hello', basehead: `${BASE}...${HEAD}` },
      accept: 'application/vnd.github.diff',
    });
  });

  it('C5 71: is that of the event even if the head has moved, and reports the move', async () => {
    const files = [file('a.ts', '@@'), file('sneaked-in.ts', '@@')];
    const found = await fetched({ headSha: NEWER, files, pinnedFiles: files.slice(0, 1) });
    expect(found).toMatchObject({ diff: DIFF, files: [{ path: 'a.ts' }], filesTotal: 1 });
    expect(found.messages).toEqual([
      'pull request #42 has moved on to ccccccc since the event; this run looks at aaaaaaa. The later push gets its own run.',
    ]);
  });

  it('D39: says that nobody knows how many files a head that has moved had, where GitHub lists 300', async () => {
    const pinnedFiles = Array.from({ length: 300 }, (_, index) => file(`f${index}.ts`, '@@'));
    const cut = await fetched({ headSha: NEWER, pinnedFiles, diff: TOO_LARGE, changedFiles: 420 });
    expect(cut).toMatchObject({ filesTotal: 300, isListShort: true });
    const diff = [...pinnedFiles, file('f300.ts', '@@')]
      .map(({ filename }) => `diff --git a/${filename} b/${filename}\n`)
      .join('');
    const whole = await fetched({ headSha: NEWER, pinnedFiles, diff: () => diff, changedFiles: 1 });
    expect([whole.files.length, whole.filesTotal, whole.isListShort]).toEqual([
      301,
      301,
      undefined,
    ]);
  });

  it('counts the files that GitHub counts, though its diff holds fewer', async () => {
    const { files, filesTotal } = await fetched({ changedFiles: 250 });
    expect([files.length, filesTotal]).toEqual([1, 250]);
  });

  it('C5 68: stops at the 3000 files that GitHub lists, and reports how many there are', async () => {
    const files = Array.from({ length: 3100 }, (_, index) => file(`f${index}.ts`, '@@'));
    const result = await fetched({ files, diff: TOO_LARGE, changedFiles: 3100 });
    expect(result.files).toHaveLength(3000);
    expect(result.filesTotal).toBe(3100);
    expect(result.isListShort).toBeUndefined();
  });
});

it.each([
  ['C5 68: for its size (406)', TOO_LARGE],
  ['in time', refuse(504, 'this diff is taking too long to generate')],
  ['for want of a common ancestor', refuse(404, 'No common ancestor')],
])('a diff that GitHub does not send %s is put together from the files', async (_, diff) => {
  const files = [
    file('a.ts', '@@ -1 +1 @@\n-old\n+new'),
    file('new.ts', '@@ -0,0 +1 @@\n+x', 'added'),
    file('gone.ts', '@@ -1 +0,0 @@\n-x', 'removed'),
    { ...file('b.ts', undefined, 'renamed'), previous_filename: 'old b.ts' },
    file('image.png', undefined, 'added'),
    file('odd\nname.ts', '@@ -1 +1 @@\n-1\n+2'),
  ];
  const result = await fetched({ diff, files });
  expect(result.diff).toBe(`diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1 +1 @@
-old
+new
diff --git a/new.ts b/new.ts
new file mode 100644
--- /dev/null
+++ b/new.ts
@@ -0,0 +1 @@
+x
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old b.ts b/b.ts
rename from old b.ts
rename to b.ts
diff --git a/image.png b/image.png
new file mode 100644
diff --git "a/odd\\nname.ts" "b/odd\\nname.ts"
--- "a/odd\\nname.ts"
+++ "b/odd\\nname.ts"
@@ -1 +1 @@
-1
+2
`);
  const message = 'GitHub did not send the whole diff; it was put together from 6 files';
  expect(result.warnings).toMatchObject([{ code: 'context-incomplete', message }]);
});

it('C5 71: a diff that GitHub does not send is put together from the event’s files, not from newer ones', async () => {
  const { diff, messages } = await fetched({
    diff: TOO_LARGE,
    headSha: NEWER,
    files: [file('sneaked-in.ts', '@@')],
    pinnedFiles: [file('a.ts', '@@ -1 +1 @@\n-old\n+new')],
  });
  expect(diff).toBe(DIFF);
  expect(messages).toHaveLength(2);
});

it('a diff that GitHub does not send because every permission is missing is left out, and the run goes on', async () => {
  const denied = refuse(403, 'no');
  const client = createFakeGitHubClient({
    [COMPARE]: denied,
    [FILES]: denied,
    graphql: denied,
  });
  const context = await fetchContext(client, trigger, noAbort());
  expect(context).toMatchObject({ kind: 'none', warnings: Array(4).fill({}) });
});

const BOT = 'github-actions[bot]';
const AFTER = '2026-01-05T00:00:00Z';
const EVENT = '2026-01-04T00:00:00Z';

async function around(hello: Hello, at = EVENT) {
  hello.repo.comparisons.set(`${hello.baseSha}...${hello.headSha}`, HELLO_DIFF);
  const trigger = pullRequest({ repository: HELLO, at, ...sidesOf(hello) });
  return await fetchContext(hello.client, trigger, noAbort());
}

describe('the surroundings of a pull request', () => {
  it('are its commits, threads, conversation, linked issues and failing checks', async () => {
    const hello = await startHello();
    const { github, repo, headSha } = hello;
    github.addIssue(NAME, { number: 7, title: 'It breaks', body: 'Always.', author: 'monalisa' });
    github.addPull(NAME, { number: 42, body: 'Fixes #7', ...sidesOf(hello), diff: HELLO_DIFF });
    const body = `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nWrong.`;
    const finding = { path: 'src/a.ts', line: 3, body };
    const { id: review, comments } = seedReview(repo, {
      pull: 42,
      author: BOT,
      comments: [finding],
    });
    const reply = seedReply(repo, comments[0] ?? 0, { author: 'hubot', body: 'It is meant so.' });
    const said = github.addComment(NAME, { issue: 42, author: 'monalisa', body: 'And the docs?' });
    addCheckRun(repo, { headSha, job: 3, name: 'test', title: 'Failed', summary: '1 of 9' });
    repo.talk.jobLogs.set(3, 'start\n##[error]test broke\n');
    const surroundings = await around(hello);
    const writer = {
      author: { login: 'hubot', isBot: false },
      isOurs: false,
      mayWrite: true,
    };
    const reader = {
      author: { login: 'monalisa', isBot: false },
      isOurs: false,
      mayWrite: false,
    };
    const bot = {
      author: { login: BOT, isBot: true },
      isOurs: true,
      mayWrite: false,
    };
    const remark = { ...reader, id: 0, text: 'Always.' };
    const remarks = [
      { ...bot, id: comments[0], reviewId: review, text: finding.body },
      { ...writer, id: reply, text: 'It is meant so.' },
    ];
    expect(surroundings).toEqual(
      expect.objectContaining({
        warnings: [],
        commits: [expect.objectContaining({}), expect.objectContaining({ sha: headSha })],
        threads: [{ path: 'src/a.ts', line: 3, isResolved: false, isOutdated: false, remarks }],
        comments: [{ ...reader, id: said, text: 'And the docs?' }],
        issues: [{ reference: '#7', isOpen: true, title: 'It breaks', remark }],
        checks: [
          {
            name: 'test',
            conclusion: 'failure',
            summary: 'Failed\n\n1 of 9',
            log: undefined,
            isOurs: true,
          },
        ],
      }),
    );
  });

  it('trust neither what another workflow wrote with the same token, nor our words under another account', async () => {
    const hello = await startHello();
    hello.github.addComment(NAME, { issue: 42, author: BOT, body: 'Coverage: 80 %' });
    const body = `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nWrong.`;
    hello.github.addComment(NAME, { issue: 42, author: 'hubot', body });
    const { comments } = await around(hello);
    const ours = comments?.map(({ isOurs, mayWrite }) => isOurs || mayWrite);
    expect(ours).toEqual([false, false]);
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

it('what could not be read of the checks is named, around a pull request and a workflow run', async () => {
  const hello = await startHello();
  const { client, github, repo, headSha } = hello;
  repo.talk.refusedChecks = 'all';
  expect((await around(hello)).unread).toEqual(['some of the checks']);
  const run = await fetchContext(client, workflowRun({ headSha }), noAbort());
  expect(run.unread).toEqual(['some of the checks']);
  github.fail({ ...denied(COMPARE, ''), headers: {} });
  const change = workflowRun({ headSha, pull: { number: 42, base: { ref: 'main', sha: '' } } });
  expect((await fetchContext(client, change, noAbort())).unread).toEqual([
    'the diff',
    'some of the checks',
  ]);
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
    const answered = await fetchContext(client, comment({ commentId }), noAbort());
    expect(answered).toMatchObject({ comments: [{ text: 'Since Monday.' }] });
  });

  it('C5 71: are for a review the change of the commits that its event names', async () => {
    const hello = await startHello();
    hello.repo.comparisons.set(`${hello.baseSha}...${hello.headSha}`, HELLO_DIFF);
    hello.github.commit(NAME, { 'src/a.ts': 'sneaked in\n' }, { branch: 'topic' });
    const commits = sidesOf(hello);
    const trigger = comment({ on: 'pull_request', number: 42, isFork: false, commits });
    const context = await fetchContext(hello.client, trigger, noAbort());
    expect(context).toMatchObject({ kind: 'pull_request', diff: HELLO_DIFF, pinned: undefined });
  });
});
