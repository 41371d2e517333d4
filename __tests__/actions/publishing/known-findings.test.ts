import { describe, expect, it } from '@jest/globals';
import { fetchOwnFindings } from '../../../src/actions/publishing/known-findings.js';
import { findingMarker, reviewMarker } from '../../../src/axe/review/markers.js';
import { deniedQuery, startHello } from '../../github/hello-fixture.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { seedReview } from '../../helpers/github-review-seed.js';

const OURS = 'github-actions[bot]';
const [ONE, TWO, THREE, FOUR] = ['1', '2', '3', '4'].map((digit) => digit.repeat(16)) as [
  string,
  string,
  string,
  string,
];

function onLine(fingerprint: string) {
  return [{ path: 'src/a.ts', line: 2, body: `${findingMarker(fingerprint)}\nWrong.` }];
}

describe('what we have said on a pull request', () => {
  it('is what stands on lines and in the texts of reviews, and is not resolved', async () => {
    const { client, repo, place, headSha } = await startHello();
    const marker = reviewMarker({ agent: 'bot', head: headSha, findings: [TWO] });
    const body = `${marker}\n\nSee below.\n\n${findingMarker(THREE)}\nMoved here.`;
    seedReview(repo, { pull: 42, author: OURS, body, comments: onLine(ONE) });
    const found = await fetchOwnFindings(client, place, noAbort());
    expect(found.open).toEqual([ONE, TWO, THREE]);
    expect(found.reviews).toMatchObject([{ state: 'COMMENTED' }]);
  });

  it('is nothing of what others say in our words, nor of a draft that was never sent', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewMarker({ agent: 'bot', head: headSha, findings: [FOUR] });
    seedReview(repo, { pull: 42, author: 'monalisa', body, comments: onLine(ONE) });
    seedReview(repo, { pull: 42, author: OURS, body, state: 'PENDING' });
    expect((await fetchOwnFindings(client, place, noAbort())).open).toEqual([]);
  });

  it('cannot be known without the permission, which the error names', async () => {
    const { client, github, place } = await startHello();
    github.fail(deniedQuery());
    await expect(fetchOwnFindings(client, place, noAbort())).rejects.toMatchObject({
      reason: 'denied',
      remedy: expect.stringContaining('pull-requests: read'),
    });
  });
});
