import { expect, it } from '@jest/globals';
import { setThread } from '../../../src/github/posting/comments.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { type Hello, startHello } from '../hello-fixture.js';

it.each<[string, (hello: Hello) => void, boolean]>([
  ['is resolved, opened, and either twice', () => undefined, true],
  [
    'is left alone where the token may not change it',
    ({ repo }) => Object.assign(repo, { contents: 'read' }),
    false,
  ],
  [
    'is changed where the answer was lost',
    ({ github }) => github.fail({ route: 'POST /graphql', ...BAD_GATEWAY_AFTER_EFFECT }),
    true,
  ],
])('a conversation %s', async (_, before, isChanged) => {
  const hello = await startHello();
  const { client, repo } = hello;
  const comments = [{ path: 'src/a.ts', line: 3, body: 'Third is wrong.' }];
  const [first = 0] = seedReview(repo, { pull: 42, author: 'hubot', comments }).comments;
  before(hello);
  for (const isResolved of [true, true, false, false]) {
    expect(await setThread(client, { id: `PRRT_${first}`, isResolved }, noAbort())).toBe(isChanged);
    expect(repo.talk.resolved.has(first)).toBe(isChanged && isResolved);
  }
});
