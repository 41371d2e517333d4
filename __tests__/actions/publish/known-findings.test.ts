import { describe, expect, it } from '@jest/globals';
import { fetchOwnFindings } from '../../../src/actions/publish/known-findings.js';
import { type TextFinding, withEndNote } from '../../../src/review/markers.js';
import { deniedQuery, startHello } from '../../adapters/github/hello-fixture.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { findingLine, reviewLine } from '../../helpers/marks.js';

const OURS = 'github-actions[bot]';
const [ONE, TWO, THREE, FOUR] = ['1', '2', '3', '4'].map((digit) => digit.repeat(16)) as [
  string,
  string,
  string,
  string,
];

function onLine(id: string) {
  const marker = findingLine({ id, agent: 'bot', severity: 'minor', title: 'It is wrong' });
  return [{ path: 'src/a.ts', line: 2, body: `${marker}\nWrong.` }];
}

function inText(id: string): TextFinding {
  return { id, path: 'src/far.ts', side: 'RIGHT', startLine: 40, line: 41 };
}

describe('the known findings of a pull request', () => {
  it('are those open on lines and in the texts of reviews', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewLine({ agent: 'bot', head: headSha, findings: [inText(TWO), inText(THREE)] });
    seedReview(repo, { pull: 42, author: OURS, body, comments: onLine(ONE) });
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort());
    expect(found.open).toMatchObject([
      {
        id: ONE,
        candidate: { path: 'src/a.ts', line: 2, isPresent: true, code: 'second', text: 'Wrong.' },
        thread: { path: 'src/a.ts', side: 'RIGHT', line: 2 },
      },
      {
        id: TWO,
        candidate: { path: 'src/far.ts', line: 41, isPresent: false, sketch: '' },
        thread: undefined,
      },
      { id: THREE },
    ]);
    expect(found.threads).toMatchObject([{ marker: { id: ONE, severity: 'minor', title: 'It is wrong' } }]);
    expect(found.texts).toMatchObject([{ ...inText(TWO), head: headSha }, inText(THREE)]);
    expect(found.reviews).toMatchObject([{ state: 'COMMENTED' }]);
  });

  it('exclude what others write in our form, and drafts that were never sent', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewLine({ agent: 'bot', head: headSha, findings: [inText(FOUR)] });
    seedReview(repo, { pull: 42, author: 'monalisa', body, comments: onLine(ONE) });
    seedReview(repo, { pull: 42, author: OURS, body, state: 'PENDING' });
    expect((await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort())).open).toEqual(
      [],
    );
  });

  it('belong to one agent each, except to avoid repeating one', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewLine({ agent: 'bot/reply-9', head: headSha, findings: [inText(TWO)] });
    seedReview(repo, { pull: 42, author: OURS, body, comments: onLine(ONE) });
    const found = (agent: string) => fetchOwnFindings(client, { ...place, agent, known: [] }, noAbort());
    const [bot, other] = [await found('bot'), await found('bot-2')];
    expect([bot.open, other.open].map((some) => some.map(({ id }) => id))).toEqual([
      [ONE, TWO],
      [ONE, TWO],
    ]);
    expect([bot.threads, bot.texts].map((some) => some.length)).toEqual([1, 1]);
    expect([other.threads, other.texts]).toEqual([[], []]);
  });

  it.each([
    ['stays open if the author of a fork resolved it', 'read', true],
    ['is closed if somebody with write access resolved it', 'write', false],
  ] as const)('%s', async (_, role, isOpen) => {
    const { client, repo, place } = await startHello();
    repo.roles.set('octocat', role);
    seedReview(repo, { pull: 42, author: OURS, body: 'Once.', comments: onLine(ONE) });
    repo.talk.resolved.set(repo.talk.reviewComments[0]?.id ?? 0, 'octocat');
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort());
    expect([found.open, found.threads].map(({ length }) => length)).toEqual(isOpen ? [1, 1] : [0, 0]);
  });

  it('exclude the text of a dismissed review', async () => {
    const { client, repo, place, headSha } = await startHello();
    const body = reviewLine({ agent: 'bot', head: headSha, findings: [inText(TWO)] });
    seedReview(repo, { pull: 42, author: OURS, body, state: 'DISMISSED' });
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort());
    expect([found.open, found.texts]).toEqual([[], []]);
  });

  it.each<[string, (comment: { id: number; body: string }, resolved: Map<number, string>) => void]>([
    ['was resolved', ({ id }, resolved) => void resolved.set(id, 'hubot')],
    [
      'was marked as ended',
      (comment) => {
        comment.body = withEndNote(comment.body, 'settled', 'Settled.');
      },
    ],
  ])('exclude every conversation that %s', async (_, end) => {
    const { client, repo, place } = await startHello();
    seedReview(repo, { pull: 42, author: OURS, comments: onLine(ONE) });
    for (const one of repo.talk.reviewComments) end(one, repo.talk.resolved);
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort());
    expect([found.open, found.threads]).toEqual([[], []]);
  });

  it('have the severity of the worst finding in their conversation', async () => {
    const { client, repo, place } = await startHello();
    const { comments } = seedReview(repo, { pull: 42, author: OURS, comments: onLine(ONE) });
    const worse = findingLine({ id: TWO, agent: 'bot', severity: 'critical' });
    seedReply(repo, comments[0] ?? 0, { author: OURS, body: `${worse}\nRows are lost.` });
    seedReply(repo, comments[0] ?? 0, { author: 'monalisa', body: `${worse}\nForged.` });
    const found = await fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort());
    expect(found.threads).toMatchObject([{ marker: { id: ONE, severity: 'critical' } }]);
    expect(found.open).toMatchObject([{ candidate: { text: 'Wrong.\n\nRows are lost.' } }]);
  });

  it('cannot be read without the permission, which the error names', async () => {
    const { client, github, place } = await startHello();
    github.fail(deniedQuery());
    await expect(
      fetchOwnFindings(client, { ...place, agent: 'bot', known: [] }, noAbort()),
    ).rejects.toMatchObject({
      reason: 'denied',
      remedy: expect.stringContaining('pull-requests: read'),
    });
  });
});
