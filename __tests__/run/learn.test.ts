import { describe, expect, it } from '@jest/globals';
import { withFacts } from '../../src/memory/state.js';
import type { TriggerContext } from '../../src/prompt/context.js';
import type { FindingMark } from '../../src/review/marks.js';
import type { Thread } from '../../src/review/seen.js';
import { markFacts } from '../../src/review/state-facts.js';
import type { SaidAnswer } from '../../src/run/github.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { ended, raised } from '../helpers/marks.js';
import { createFakeModel, says } from '../helpers/model-fake.js';
import { said, seen, thread } from '../helpers/seen.js';
import { comment, issue, OCTOCAT, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const STATE = 'bot.state.md';
const DIFF = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n';
const CONTEXT: TriggerContext = { kind: 'pull_request', diff: DIFF, files: [], filesTotal: 1, warnings: [] };
const LESSON = 'It is wrong';

function stateOf(pull: number, ...marks: readonly FindingMark[]): string {
  return withFacts('', markFacts(marks, pull));
}

function read(...threads: readonly Thread[]): SaidAnswer {
  return { kind: 'read', seen: seen({ threads }) };
}

const down = (...logins: readonly string[]) => {
  const { first } = thread();
  return thread({
    first: { ...first, thumbsDown: logins.map((login) => ({ login, at: '2026-11-21T00:00:00Z' })) },
  });
};

function depsOf(parts: FakeDependenciesParts = {}) {
  const model = createFakeModel([says('done')]);
  const deps = createFakeDependencies({
    model,
    permissions: { [OCTOCAT.login]: { kind: 'known', permission: 'write' } },
    context: CONTEXT,
    memory: { [STATE]: stateOf(41, raised()) },
    said: { 41: read(down('octocat')) },
    ...parts,
  });
  return { deps, model };
}

const REQUEST = makeRequest({ trigger: pullRequest(), inWorkflow: true });

/** The user message of the first request. */
function messageOf({ model }: ReturnType<typeof depsOf>): string {
  return JSON.stringify(model.asked[0]?.prompt.find(({ role }) => role === 'user')?.content);
}

function readsOf({ deps }: ReturnType<typeof depsOf>): readonly string[] {
  return deps.steps.filter((step) => step.startsWith('read #'));
}

describe('what a run learns', () => {
  it('of other pull requests is what people have said there since, to be told there', async () => {
    const { deps } = depsOf();
    await runPipeline(REQUEST, deps);
    const [{ others = [] } = {}] = deps.requests;
    expect(others).toMatchObject([
      { pull: 41, news: { ended: [{ handle: 'FQ7K2', state: 'dismissed', login: 'octocat' }] } },
    ]);
  });

  it.each<[string, Thread]>([
    ['where nobody said anything', thread()],
    ['of an account whose permission GitHub does not tell', down('hubot')],
  ])('of other pull requests is nothing %s', async (_, one) => {
    const { deps } = depsOf({ said: { 41: read(one) } });
    await runPipeline(REQUEST, deps);
    expect(deps.requests).toMatchObject([{ others: [] }]);
  });

  it('of dismissals is given to the model, until somebody reopens one', async () => {
    const dismissed = [raised(), ended({ login: 'octocat' })];
    const scene = depsOf({ memory: { [STATE]: stateOf(41, ...dismissed) } });
    await runPipeline(REQUEST, scene.deps);
    expect(messageOf(scene)).toContain(LESSON);
    // What has ended there is asked no more.
    expect(readsOf(scene)).toEqual(['read #42', 'read #42 again']);
    const settled = depsOf({ memory: { [STATE]: stateOf(41, raised(), ended({ state: 'settled' })) } });
    await runPipeline(REQUEST, settled.deps);
    expect(messageOf(settled)).not.toContain(LESSON);
  });

  it('of its own pull request is what is open there, by handle', async () => {
    const scene = depsOf({ memory: { [STATE]: stateOf(42, raised()) }, said: { 42: read(thread()) } });
    await runPipeline(REQUEST, scene.deps);
    expect(messageOf(scene)).toContain('FQ7K2 src/a.ts:1');
    expect(scene.deps.requests[0]?.findings?.ledger.open).toMatchObject([{ handle: 'FQ7K2' }]);
  });

  it('is read again just before anything is posted', async () => {
    const answered = thread({ replies: [said('octocat', '/axe done')] });
    const { deps } = depsOf({ said: { 42: read(thread()) }, saidLater: { 42: read(answered) } });
    await runPipeline(REQUEST, deps);
    expect(deps.requests[0]?.findings).toMatchObject({
      ledger: { open: [] },
      news: { ended: [{ handle: 'FQ7K2', by: 'person' }] },
    });
  });

  it('is as it was at the beginning where it cannot be read again', async () => {
    const { deps } = depsOf({
      said: { 42: read(thread()) },
      saidLater: { 42: { kind: 'unread', message: 'no.' } },
    });
    await runPipeline(REQUEST, deps);
    expect(deps.requests[0]?.findings?.ledger.open).toHaveLength(1);
  });

  it('is the least that memory has where its own pull request cannot be read', async () => {
    const { deps } = depsOf({
      memory: { [STATE]: stateOf(42, raised()) },
      said: { 42: { kind: 'unread', message: 'no.' } },
    });
    await runPipeline(REQUEST, deps);
    expect(deps.requests[0]?.findings?.ledger.open).toMatchObject([{ handle: 'FQ7K2' }]);
  });

  it.each([
    ['an issue', issue()],
    ['a comment on an issue', comment()],
    ['a schedule', SCHEDULE],
  ])('needs a pull request, not %s', async (_, trigger) => {
    const scene = depsOf();
    await runPipeline({ ...REQUEST, trigger }, scene.deps);
    expect(readsOf(scene)).toEqual([]);
  });

  it('asks about at most twenty accounts each, on five other pull requests, the newest', async () => {
    const numbers = Array.from({ length: 9 }, (_, index) => 50 + index);
    const crowd = Array.from({ length: 30 }, (_, index) => `hubot-${index}`);
    const facts = numbers.flatMap((n) => markFacts([raised({ id: `${n}`.padStart(16, '0'), at: n })], n));
    const said = Object.fromEntries(numbers.map((n) => [n, read(down(...crowd))]));
    const scene = depsOf({ memory: { [STATE]: withFacts('', facts) }, said });
    await runPipeline(REQUEST, scene.deps);
    const others = [58, 57, 56, 55, 54].map((n) => `read #${n}`);
    expect(readsOf(scene)).toEqual(['read #42', ...others, 'read #42 again']);
    expect(new Set(scene.deps.steps.filter((step) => step.includes('hubot-'))).size).toBe(20);
  });
});
