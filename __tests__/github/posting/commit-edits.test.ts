import { expect, it } from '@jest/globals';
import { proposeChange } from '../../../src/github/posting/commit-edits.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { type Hello, NAME, startHello } from '../hello-fixture.js';

const BRANCH = 'axe/bot/7';
const PATH = 'notes/skill.md';

async function propose({ client }: Hello, text = 'Look twice.\n', title = 'Look twice') {
  const change = {
    repository: HELLO,
    base: 'main',
    branch: BRANCH,
    edits: new Map([[PATH, { before: undefined, after: new TextEncoder().encode(text) }]]),
    message: 'Look',
    title,
    body: 'Because.',
    mark: { kind: 'change', agent: 'bot' } as const,
  };
  return await proposeChange(client, change, noAbort());
}

it('a proposed change is opened once and then updated, one commit on top of the newest base', async () => {
  const hello = await startHello();
  expect(await propose(hello)).toMatchObject({ created: true, branch: BRANCH, isByJob: true });
  hello.github.commit(NAME, { 'README.md': 'Newer.\n' }, { branch: 'main' });
  expect(await propose(hello, 'Look thrice.\n', 'Look thrice')).toMatchObject({ created: false });
  const pulls = [...hello.repo.pulls.values()].filter(({ head }) => head.ref.startsWith(BRANCH));
  expect(pulls).toMatchObject([{ title: 'Look thrice', base: { ref: 'main' } }]);
  const files = hello.github.files(NAME, 'main');
  expect(hello.github.files(NAME, BRANCH)).toEqual({ ...files, [PATH]: 'Look thrice.\n' });
  expect([...hello.repo.branches.keys()].filter((name) => name.startsWith(BRANCH))).toEqual([
    BRANCH,
  ]);
});
