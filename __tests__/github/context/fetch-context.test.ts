import { describe, expect, it } from '@jest/globals';
import { fetchContext } from '../../../src/github/context/fetch-context.js';
import { warningText } from '../../../src/lib/warning.js';
import {
  type Answer,
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { pullRequest } from '../../helpers/triggers.js';
import { emptyPull } from '../hello-fixture.js';

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
/** What stands around every pull request here: nothing. */
const QUIET = {
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits': () => [],
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': () => ({ check_runs: [] }),
  'GET /repos/{owner}/{repo}/commits/{ref}/status': () => ({ statuses: [] }),
};
const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const NEWER = 'c'.repeat(40);

const trigger = pullRequest({
  action: 'synchronize',
  repository: HELLO,
  head: { sha: HEAD, ref: 'fix', repository: 'octocat/hello' },
  base: { sha: BASE, ref: 'main' },
});

const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n';

function file(filename: string, patch?: string, status = 'modified'): Record<string, unknown> {
  return { filename, status, additions: 1, deletions: 1, ...(patch === undefined ? {} : { patch }) };
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
      const now = { headRefOid: server.headSha ?? HEAD, changedFiles: server.changedFiles ?? files.length };
      return { repository: { issueOrPullRequest: emptyPull(now) } };
    },
    ...QUIET,
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
    expect([whole.files.length, whole.filesTotal, whole.isListShort]).toEqual([301, 301, undefined]);
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

describe('a diff that GitHub does not send', () => {
  it.each([
    ['C5 68: for its size (406)', TOO_LARGE],
    ['in time', refuse(504, 'this diff is taking too long to generate')],
    ['for want of a common ancestor', refuse(404, 'No common ancestor')],
  ])('%s is put together from the files', async (_, diff) => {
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

  it('C5 71: is put together from the event’s files, not from newer ones', async () => {
    const { diff, messages } = await fetched({
      diff: TOO_LARGE,
      headSha: NEWER,
      files: [file('sneaked-in.ts', '@@')],
      pinnedFiles: [file('a.ts', '@@ -1 +1 @@\n-old\n+new')],
    });
    expect(diff).toBe(DIFF);
    expect(messages).toHaveLength(2);
  });

  it('because every permission is missing is left out, and the run goes on', async () => {
    const denied = refuse(403, 'no');
    const client = createFakeGitHubClient({ [COMPARE]: denied, [FILES]: denied, graphql: denied, ...QUIET });
    const context = await fetchContext(client, trigger, noAbort());
    expect(context).toMatchObject({ kind: 'none', warnings: Array(4).fill({}) });
  });
});
