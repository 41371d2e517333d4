import { describe, expect, it } from '@jest/globals';
import { fetchOwnFindings } from '../../../src/actions/publish/known-findings.js';
import { findingMarker, reviewMarker, type TextFinding } from '../../../src/core/review/markers.js';
import { deniedQuery, startHello } from '../../adapters/github/hello-fixture.js';
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
  return [{ path: 'src/a.ts', line: 2, body: `${findingMarker({ fingerprint, agent: 'bot' })}\nWrong.` }];
}

function inText(fingerprint: string): TextFinding {
  return { fingerprint, path: 'src/far.ts', side: 'RIGHT', startLine: 40, line: 41 };
}

describe('what we have said on a pull request', () => {
  it('is what stands on lines and in the texts of reviews, and is not resolved', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewMarker({ agent: 'bot', head: headSha, findings: [inText(TWO), inText(THREE)] });
    seedReview(repo, { pull: 42, author: OURS, body, comments: onLine(ONE) });
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot' }, noAbort());
    expect(found.open).toEqual([ONE, TWO, THREE]);
    expect(found.texts).toMatchObject([{ ...inText(TWO), head: headSha }, inText(THREE)]);
    expect(found.reviews).toMatchObject([{ state: 'COMMENTED' }]);
  });

  it('is nothing of what others say in our words, nor of a draft that was never sent', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewMarker({ agent: 'bot', head: headSha, findings: [inText(FOUR)] });
    seedReview(repo, { pull: 42, author: 'monalisa', body, comments: onLine(ONE) });
    seedReview(repo, { pull: 42, author: OURS, body, state: 'PENDING' });
    expect((await fetchOwnFindings(client, { ...place, agent: 'bot' }, noAbort())).open).toEqual([]);
  });

  it('is each agent’s own, but for what is not said twice', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewMarker({ agent: 'bot/reply-9', head: headSha, findings: [inText(TWO)] });
    seedReview(repo, { pull: 42, author: OURS, body, comments: onLine(ONE) });
    const found = (agent: string) => fetchOwnFindings(client, { ...place, agent }, noAbort());
    const [bot, other] = [await found('bot'), await found('bot-2')];
    expect([bot.open, other.open]).toEqual([
      [ONE, TWO],
      [ONE, TWO],
    ]);
    expect([bot.threads, bot.texts].map((some) => some.length)).toEqual([1, 1]);
    expect([other.threads, other.texts]).toEqual([[], []]);
  });

  it('is closed in the text of a review that was dismissed', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewMarker({ agent: 'bot', head: headSha, findings: [inText(TWO)] });
    seedReview(repo, { pull: 42, author: OURS, body, state: 'DISMISSED' });
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot' }, noAbort());
    expect([found.open, found.texts]).toEqual([[], []]);
  });

  it('cannot be known without the permission, which the error names', async () => {
    const { client, github, place } = await startHello();
    github.fail(deniedQuery());
    await expect(fetchOwnFindings(client, { ...place, agent: 'bot' }, noAbort())).rejects.toMatchObject({
      reason: 'denied',
      remedy: expect.stringContaining('pull-requests: read'),
    });
  });
});
