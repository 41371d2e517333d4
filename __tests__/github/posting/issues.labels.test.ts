import { expect, it } from '@jest/globals';
import { setLabels } from '../../../src/github/posting/issues.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { type Hello, startHello } from '../hello-fixture.js';

const ADD = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const REMOVE = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';

async function start(labels: readonly string[] = []): Promise<Hello> {
  const hello = await startHello();
  hello.repo.talk.labels.push('bug', 'Area: API', 'good/first');
  hello.repo.talk.labelsOf.set(42, [...labels]);
  return hello;
}

async function change({ client, place }: Hello, add: readonly string[], remove: readonly string[] = []) {
  return await setLabels(client, place, { add, remove }, noAbort());
}

it('existing labels are added in their own spelling, and unknown ones are not', async () => {
  const hello = await start();
  expect(await change(hello, ['BUG', 'area: api', 'good/first', 'nonsense', 'bug'])).toEqual({
    added: ['bug', 'Area: API', 'good/first'],
    removed: [],
    unknown: ['nonsense'],
  });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(['bug', 'Area: API', 'good/first']);
  expect(hello.repo.talk.labels).not.toContain('nonsense');
});

it('existing labels are removed, and labels in both lists are added', async () => {
  const hello = await start(['bug', 'Area: API']);
  expect(await change(hello, ['bug'], ['Bug', 'area: api', 'good/first'])).toEqual({
    added: [],
    removed: ['Area: API'],
    unknown: [],
  });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(['bug']);
});

it.each([
  ['adding', ADD, ['good/first'], [], ['bug', 'good/first']],
  ['removing', REMOVE, [], ['bug'], []],
])('C5 70: %s is done even if the answer was lost', async (_, route, add, remove, left) => {
  const hello = await start(['bug']);
  hello.github.fail({ route, ...BAD_GATEWAY_AFTER_EFFECT });
  expect(await change(hello, add, remove)).toMatchObject({ added: add, removed: remove });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(left);
});
