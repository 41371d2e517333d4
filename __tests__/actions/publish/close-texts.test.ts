import { describe, expect, it } from '@jest/globals';
import type { Buffered } from '../../../src/review/buffered.js';
import { readDiffLines } from '../../../src/review/diff-lines.js';
import type { Finding } from '../../../src/review/finding.js';
import { parseReviewMarker } from '../../../src/review/markers.js';
import type { Scope } from '../../../src/review/scope.js';
import { DIFF, denied, type Hello, startHello } from '../../adapters/github/hello-fixture.js';
import { comment } from '../../helpers/triggers.js';
import { type PublishScene, placed, publish } from './publish-scene.js';

/** Far from every line that the change shows. */
function far(patch: Partial<Finding> = {}) {
  return placed({ line: 300, title: 'Function is too long', body: 'Too long.', ...patch });
}

const OTHER = { title: 'Timeout is counted in seconds', body: 'The retry waits a thousand times too long.' };

function asking(...findings: readonly ReturnType<typeof far>[]): Partial<Buffered> {
  return { findings, review: { summary: 'Stop.', verdict: 'request-changes' } };
}

const CLEAR: Partial<Buffered> = { review: { summary: 'Nothing new.', verdict: 'comment' } };

/** A diff of a file that shows the lines from `start` on. */
function diffAt(start: number, path = 'src/a.ts'): string {
  return `diff --git a/${path} b/${path}
--- a/${path}
+++ b/${path}
@@ -${start},3 +${start},3 @@
 before
-old
+new
 after
`;
}

/** A push, and the part of the pull request that the next run looks at. */
function push({ repo }: Hello, sha: string, diff: string): Scope {
  const pull = repo.pulls.get(42);
  if (pull === undefined) throw new Error('no pull request');
  const from = pull.head.sha;
  repo.pulls.set(42, { ...pull, head: { ...pull.head, sha } });
  repo.comparisons.set(`${from}...${sha}`, diff);
  repo.comparisons.set(`${pull.base.sha}...${sha}`, DIFF);
  const files = readDiffLines(diff);
  const change = {
    diff,
    files: [...files.keys()].map((path) => ({ path, status: 'modified', additions: 1, deletions: 1 })),
    filesTotal: files.size,
  };
  const before = { last: from, wasCut: false };
  return { kind: 'since', from, before, change, hasMerge: false, head: sha, filesTotal: 2 };
}

const SECOND = 'd'.repeat(40);
const THIRD = 'e'.repeat(40);

function first({ repo }: Hello) {
  const [review] = repo.talk.reviews;
  return { state: review?.state, findings: parseReviewMarker(review?.body ?? '')?.findings.length };
}

describe('a finding in the text of a review', () => {
  it('blocks the merge until a run that reads everything does not raise it again', async () => {
    const hello = await startHello();
    await publish(hello, asking(far(), far(OTHER)));
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 2 });
    const again = await publish(hello, asking(far()));
    expect(again.part).toMatchObject({
      line: 'Not repeated: 1 open. Marked 1 finding in the text of earlier reviews as outdated.',
      review: { findings: 1 },
    });
    const { part, warnings } = await publish(hello, CLEAR);
    expect([part.review?.findings, warnings]).toEqual([0, []]);
    expect(first(hello)).toEqual({ state: 'DISMISSED', findings: 0 });
    expect(hello.repo.talk.reviews[0]?.body).toMatch(/\*Outdated as of [0-9a-f]{7}: `src\/a\.ts:300`\.\*/);
  });

  it('stays open, and counts, while a push shows other places', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    const scope = push(hello, SECOND, diffAt(100) + diffAt(300, 'docs/b.md'));
    const { part } = await publish(hello, CLEAR, { scope });
    expect(part.review?.findings).toBe(1);
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 1 });
  });

  it('is settled once a push shows its place and the run does not raise it again', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    const scope = push(hello, SECOND, diffAt(299));
    const { part } = await publish(hello, CLEAR, { scope });
    expect(part.review?.findings).toBe(0);
    expect(first(hello)).toEqual({ state: 'DISMISSED', findings: 0 });
  });

  it('is settled by a run whose last reply exceeded a limit, but not by a run that was cut short', async () => {
    for (const isAnswered of [true, false]) {
      const hello = await startHello();
      await publish(hello, asking(far()));
      const scope = push(hello, SECOND, diffAt(299));
      const end = { end: 'exhausted', ...(isAnswered ? { isAnswered } : {}) } as const;
      await publish(hello, CLEAR, { scope, ...end });
      expect(first(hello).findings).toBe(isAnswered ? 0 : 1);
    }
  });

  it('stays open while the run was not shown its file, under its present or former name', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    await publish(hello, CLEAR, { unseen: ['src/a.ts'] });
    expect(first(hello).findings).toBe(1);
    const renamed = diffAt(1, 'src/b.ts').replace(
      '--- a/src/b.ts',
      'similarity index 90%\nrename from src/a.ts\nrename to src/b.ts\n--- a/src/a.ts',
    );
    const scope = push(hello, SECOND, diffAt(299) + renamed);
    await publish(hello, CLEAR, { scope, unseen: ['src/b.ts'] });
    expect(first(hello).findings).toBe(1);
  });

  it('is tracked over pushes in between', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    const { sha: reviewed } = hello.repo.pulls.get(42)?.head ?? { sha: '' };
    await publish(hello, CLEAR, { scope: push(hello, SECOND, diffAt(100)) });
    expect(first(hello).state).toBe('CHANGES_REQUESTED');
    // Lines were added above: what the newest push shows is line 340 now, and line 300 then.
    const scope = push(hello, THIRD, diffAt(339));
    hello.repo.comparisons.set(`${reviewed}...${THIRD}`, diffAt(299));
    await publish(hello, CLEAR, { scope });
    expect(first(hello)).toEqual({ state: 'DISMISSED', findings: 0 });
  });

  it.each<[string, PublishScene]>([
    ['a run that a limit ended', { end: 'exhausted' }],
    ['a question', { trigger: comment({ on: 'pull_request', number: 42, commentId: 9 }) }],
    ['another agent', { agent: 'bot-2' }],
    ['a run that was not shown the file', { unseen: ['src/a.ts'] }],
  ])('is not settled by %s', async (_, run) => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    await publish(hello, CLEAR, run);
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 1 });
  });

  it('of another agent is not repeated, and counts for the agent that raised it', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    const { part } = await publish(hello, { ...CLEAR, findings: [far()] }, { agent: 'bot-2' });
    expect(part.review?.findings).toBe(1);
    const { part: silent } = await publish(hello, CLEAR, { agent: 'bot-3' });
    expect(silent.review?.findings).toBe(0);
    expect(hello.repo.talk.reviews.filter(({ body }) => body.includes('Too long.'))).toHaveLength(1);
  });

  it('is closed by dismissing the review, and can be raised again', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    for (const review of hello.repo.talk.reviews) review.state = 'DISMISSED';
    const scope = push(hello, SECOND, diffAt(100));
    expect((await publish(hello, CLEAR, { scope })).part.review?.findings).toBe(0);
    const { part } = await publish(hello, asking(far()), { scope: push(hello, THIRD, diffAt(299)) });
    expect(part.findings).toHaveLength(1);
  });

  it('is known by its place if a review of an older version kept no text of it', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    for (const review of hello.repo.talk.reviews) review.body = review.body.replace(/:major:\S+ -->/, ' -->');
    await publish(hello, asking(far(OTHER)));
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 1 });
    expect(hello.repo.talk.reviews).toHaveLength(1);
  });

  it('is not settled by a run over a change from outside', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    await publish(hello, CLEAR, { lane: 'untrusted' });
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 1 });
  });

  it('blocks no merge if its severity is too low', async () => {
    const hello = await startHello();
    await publish(hello, asking(far({ severity: 'minor' })), { blockOn: 'minor' });
    await publish(hello, CLEAR, { lane: 'untrusted', blockOn: 'major' });
    expect(first(hello)).toEqual({ state: 'DISMISSED', findings: 1 });
  });

  it('that cannot be marked is a warning that says what to do', async () => {
    const hello = await startHello();
    await publish(hello, asking(far()));
    const route = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}';
    hello.github.fail(denied(route, 'pull_requests=write'));
    const { warnings } = await publish(hello, CLEAR);
    expect(warnings).toEqual([
      expect.stringMatching(/^1 finding in the text .* marked as outdated: .*`\/axe review full`/s),
    ]);
  });

  it('that was a comment which GitHub refused on its line is treated the same way', async () => {
    const hello = await startHello();
    const onLine = placed();
    const refusal = { errors: ['Line could not be resolved'], message: 'Unprocessable Entity' };
    hello.github.fail({
      route: 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
      status: 422,
      body: refusal,
      times: 1,
    });
    await publish(hello, asking(onLine));
    expect(first(hello)).toEqual({ state: 'CHANGES_REQUESTED', findings: 1 });
    await publish(hello, asking(onLine));
    expect(first(hello).findings).toBe(1);
    await publish(hello, CLEAR);
    expect(first(hello)).toEqual({ state: 'DISMISSED', findings: 0 });
  });
});
