import { describe, expect, it } from '@jest/globals';
import type { GitHubClient } from '../../src/github/client/client.js';
import { warningText } from '../../src/lib/warning.js';
import { cutShort } from '../../src/review/coverage.js';
import { type CommitCheck, postCheck } from '../../src/review/post-check.js';
import type { Coverage } from '../../src/review/record.js';
import type { ReviewEnd } from '../../src/review/review-post.js';
import type { Severity } from '../../src/review/terms.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { HELLO } from '../helpers/github-client-fake.js';
import { placed } from './post-scene.js';

const WHOLE: Coverage = { kind: 'whole', files: 3, read: 3, unread: [] };
const PART: Coverage = { kind: 'part', files: 3, read: 2, unread: [{ path: 'a.png', why: 'size' }] };

const CHECK: Omit<CommitCheck, 'headSha'> = {
  repository: HELLO,
  name: 'bot',
  lane: 'trusted',
  review: { open: [], isBlocking: false, unposted: [] },
  isCut: false,
  isAnswered: true,
  coverage: WHOLE,
  text: 'All is well.',
  footer: '<sub>by us</sub>',
};

function open(severities: readonly Severity[], isBlocking = false): ReviewEnd {
  return {
    open: severities.map((severity) => ({ ...placed().finding, severity })),
    isBlocking,
    unposted: [],
  };
}

async function post(client: GitHubClient | undefined, check: CommitCheck) {
  const warnings: string[] = [];
  const posted = await postCheck(client, check, {
    warn: (warning) => void warnings.push(warningText(warning)),
    clean: (markdown) => markdown.replaceAll('@', ''),
    cleanMessage: (text) => text.replaceAll('@', ''),
  });
  return { posted, warnings };
}

describe('the check of a commit', () => {
  it.each<[Partial<CommitCheck>, string, string]>([
    [{}, 'success', 'No findings · whole'],
    [{ isCut: true, coverage: cutShort(WHOLE) }, 'neutral', 'No findings, cut short'],
    [{ coverage: PART }, 'neutral', 'No findings in 2 of 3 files'],
    [{ coverage: undefined }, 'neutral', 'No findings'],
    [{ review: open(['nit']) }, 'neutral', '1 nit open · whole'],
    [{ review: open(['major', 'minor', 'minor'], true) }, 'failure', '1 major, 2 minor open · whole'],
    [{ review: undefined }, 'neutral', 'Answered · whole'],
    [{ review: undefined, coverage: undefined, isCut: true }, 'neutral', 'Answered, cut short'],
    [
      { review: undefined, coverage: PART, isCut: true, isAnswered: false },
      'neutral',
      'No answer in 2 of 3 files, cut short',
    ],
  ])('for %j is %s: %s', async (patch, conclusion, title) => {
    const { client, repo, headSha } = await startHello();
    expect(await post(client, { ...CHECK, headSha, ...patch })).toEqual({
      posted: expect.stringMatching(/^https:/),
      warnings: [],
    });
    expect(repo.talk.checkRuns).toMatchObject([{ headSha, name: 'bot', conclusion, title }]);
  });

  it('holds 120 findings on their lines, sanitized, and is written once', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = Array.from({ length: 120 }, (_, index) =>
      placed({ title: '@octocat', body: `@octocat ${index}` }),
    );
    const check = { ...CHECK, headSha, review: { ...open([]), unposted } };
    await post(client, check);
    await post(client, check);
    expect(repo.talk.checkRuns).toHaveLength(1);
    expect(repo.talk.checkRuns[0]?.annotations).toHaveLength(120);
    expect(repo.talk.checkRuns[0]?.annotations[0]).toMatchObject({
      path: 'src/a.ts',
      start_line: 2,
      message: 'octocat 0',
      title: 'octocat',
    });
  });

  it('includes the suggestion of a finding', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = [placed({ body: 'Wrong.', suggestion: 'return 1' })];
    await post(client, { ...CHECK, headSha, review: { ...open([]), unposted } });
    expect(repo.talk.checkRuns[0]?.annotations).toMatchObject([
      { message: 'Wrong.\n\nSuggested:\n\n```\nreturn 1\n```' },
    ]);
  });

  it('stays below GitHub’s limits', async () => {
    const { client, repo, headSha } = await startHello();
    await post(client, { ...CHECK, headSha, text: 'x'.repeat(70_000) });
    expect(repo.talk.checkRuns[0]?.summary?.length).toBeLessThanOrEqual(65_535);
  });

  it('that cannot be written is a warning with the line to add', async () => {
    const { client, github, headSha } = await startHello();
    github.fail(denied('POST /repos/{owner}/{repo}/check-runs', 'checks=write'));
    const { posted, warnings } = await post(client, { ...CHECK, headSha });
    expect(posted).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^the check was not written: .*`checks: write`/)]);
    expect((await post(undefined, { ...CHECK, headSha })).posted).toBeUndefined();
  });
});
