import { expect, it } from '@jest/globals';
import { fetchReviewedPulls } from '../../src/github/reviewed-pulls.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { type Hello, NAME, startHello } from './hello-fixture.js';

const BOT = 'github-actions[bot]';
const marker = '<!-- axe-action:review agent=bot ';
const body = `${marker}head=x -->`;

async function reviewed({ client }: Hello, limit = 10) {
  return await fetchReviewedPulls(client, { repository: HELLO, marker, limit }, noAbort());
}

function addPulls({ github, baseSha, headSha }: Hello, from: number, to: number): void {
  const base = { ref: 'main', sha: baseSha };
  const head = { ref: 'topic', sha: headSha, repository: NAME };
  for (let number = from; number <= to; number += 1)
    github.addPull(NAME, { number, base, head, state: 'closed' });
}

it('finds the pull requests we reviewed, those that changed last first', async () => {
  const hello = await startHello();
  addPulls(hello, 43, 45);
  seedReview(hello.repo, { pull: 42, author: BOT, body, at: '2026-01-01T00:00:00Z', commit: 'a'.repeat(40) });
  seedReview(hello.repo, { pull: 42, author: BOT, body, at: '2026-01-02T00:00:00Z' });
  seedReview(hello.repo, { pull: 43, author: 'monalisa', body });
  seedReview(hello.repo, { pull: 44, author: BOT, body: 'another agent' });
  seedReview(hello.repo, { pull: 45, author: BOT, body, at: '2026-01-01T00:00:00Z' });
  hello.repo.talk.touched.set(42, '2026-02-01T00:00:00Z');
  expect(await reviewed(hello)).toEqual([
    { number: 42, state: 'OPEN', headSha: hello.headSha, reviewedAt: '2026-01-02T00:00:00Z' },
    { number: 45, state: 'CLOSED', headSha: hello.headSha, reviewedAt: '2026-01-01T00:00:00Z' },
  ]);
  expect(await reviewed(hello, 1)).toHaveLength(1);
});

it('looks at two hundred pull requests and no more', async () => {
  const hello = await startHello();
  addPulls(hello, 100, 340);
  seedReview(hello.repo, { pull: 141, author: BOT, body });
  seedReview(hello.repo, { pull: 140, author: BOT, body });
  expect((await reviewed(hello)).map(({ number }) => number)).toEqual([141]);
  expect(hello.github.calls()).toHaveLength(8);
});
