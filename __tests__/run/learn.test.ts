import { describe, expect, it } from '@jest/globals';
import type { ThreadsAnswer } from '../../src/core/dependencies.js';
import type { TriggerContext } from '../../src/core/prompt/context.js';
import { FENCE_NOTICE } from '../../src/core/sanitize/fence.js';
import type { AnsweredThread } from '../../src/review/answers.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { createFakeModel, says } from '../helpers/model-fake.js';
import { comment, issue, OCTOCAT, pullRequest, SCHEDULE } from '../helpers/triggers.js';
import { thread as anyThread, ID } from '../review/threads.js';

const FINDING = `- finding ${ID}/41 pr=41 path=src/a.ts cat=security sev=major at=2026-02-01T00:00:00.000Z\n`;
const STATE = 'bot.state.md';
const DIFF = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n';
const CONTEXT: TriggerContext = {
  kind: 'pull_request',
  diff: DIFF,
  files: [],
  filesTotal: 1,
  warnings: [],
};
const LESSON = '- src/a.ts security (on #41)';

function thread(parts: Partial<AnsweredThread> = {}): AnsweredThread {
  return anyThread({ path: 'src/a.ts', line: 1, hunk: '@@ -1 +1 @@\n-old\n+new', ...parts });
}

function read(...threads: readonly AnsweredThread[]): ThreadsAnswer {
  return { kind: 'read', threads };
}

function depsOf(parts: FakeDependenciesParts = {}) {
  const model = createFakeModel([says('done')]);
  const deps = createFakeDependencies({
    model,
    permissions: { [OCTOCAT.login]: { kind: 'known', permission: 'write' } },
    context: CONTEXT,
    memory: { [STATE]: FINDING },
    threads: { 41: read(thread({ thumbsDown: ['octocat'] })) },
    ...parts,
  });
  return { deps, model };
}

const REQUEST = makeRequest({ trigger: pullRequest(), inWorkflow: true });

/** The user message of the first request. */
function messageOf({ model }: ReturnType<typeof depsOf>): string {
  return JSON.stringify(model.asked[0]?.prompt.find(({ role }) => role === 'user')?.content);
}

describe('the lessons that a run learns from answers', () => {
  it('are given to the model and stored', async () => {
    const scene = depsOf();
    const report = await runPipeline(REQUEST, scene.deps);
    expect(messageOf(scene)).toContain(LESSON);
    expect(messageOf(scene).split(JSON.stringify(FENCE_NOTICE).slice(1, -1))).toHaveLength(2);
    expect(report).toMatchObject({
      kind: 'ran',
      learned: {
        facts: [
          { kind: 'ended', id: ID, pull: 41, how: 'dismissed', why: 'thumbs-down', by: 'octocat' },
          { kind: 'lesson', id: ID, pull: 41, strength: 1 },
        ],
        known: [],
      },
    });
    expect(scene.deps.memory.get(STATE)).toMatch(
      /^- ended 0123456789abcdef\/41 pr=41 path=src\/a\.ts cat=security how=dismissed why=thumbs-down by=octocat at=/m,
    );
    expect(scene.deps.memory.get(STATE)).toMatch(/^- lesson 0123456789abcdef pr=41 .* strength=1 sk=\S+ /m);
    expect(scene.deps.memory.get(STATE)).toContain(FINDING);
  });

  it('are neither stored nor taught by resolving alone', async () => {
    const scene = depsOf({ threads: { 41: read(thread({ resolvedBy: 'octocat' })) } });
    await runPipeline(REQUEST, scene.deps);
    expect(messageOf(scene)).not.toContain(LESSON);
    expect(scene.deps.memory.get(STATE)).toMatch(/^- ended \S+ .* how=settled why=closed by=octocat at=/m);
    expect(scene.deps.memory.get(STATE)).not.toContain('- lesson');
  });

  it('include those that an older version has stored', async () => {
    const former = FINDING.replace('cat=security sev=major', 'rule=timing-attack');
    const end = (why: string) =>
      `- withdrawn ${ID} pr=41 path=src/a.ts rule=timing-attack why=${why} by=octocat at=2026-02-02T00:00:00.000Z\n`;
    const dismissed = depsOf({ memory: { [STATE]: former + end('reply') } });
    await runPipeline(REQUEST, dismissed.deps);
    expect(messageOf(dismissed)).toContain('- src/a.ts other (on #41)');
    const resolved = depsOf({ memory: { [STATE]: former + end('resolved') } });
    await runPipeline(REQUEST, resolved.deps);
    expect(messageOf(resolved)).not.toContain('- src/a.ts');
  });

  it('are stored even if the run fails (D27)', async () => {
    const model = createFakeModel([says('')]);
    const { deps } = depsOf({ model });
    expect(await runPipeline(REQUEST, deps)).toMatchObject({ outcome: { kind: 'failed' } });
    expect(deps.memory.get(STATE)).toContain('- ended');
  });

  it('are requested once: the next run knows them', async () => {
    const first = depsOf();
    await runPipeline(REQUEST, first.deps);
    const next = depsOf({ memory: Object.fromEntries(first.deps.memory) });
    await runPipeline(REQUEST, next.deps);
    expect(next.deps.steps.filter((step) => step.startsWith('read threads'))).toEqual([]);
    expect(messageOf(next)).toContain(LESSON);
  });

  it('are shown by a dry run, which stores nothing', async () => {
    const { deps } = depsOf();
    const report = await runPipeline({ ...REQUEST, dryRun: true }, deps);
    expect(report).toMatchObject({ kind: 'planned' });
    expect(report.kind === 'planned' ? report.plan.task.message : '').toContain(LESSON);
    expect(deps.memory.get(STATE)).toBe(FINDING);
    const hidden = await runPipeline({ ...REQUEST, dryRun: true, isMemoryHidden: true }, depsOf().deps);
    expect(hidden.kind === 'planned' ? hidden.plan.task.message : LESSON).not.toContain(LESSON);
  });

  it('include what is open on the own pull request, and how it can be ended', async () => {
    const scene = depsOf({
      memory: { [STATE]: `${FINDING.replaceAll('41', '42')}- posted r ids=1 at=2026-02-01T00:00:00.000Z\n` },
      threads: { 42: read(thread()) },
    });
    const report = await runPipeline(REQUEST, scene.deps);
    expect(messageOf(scene)).toContain('Findings of yours that are open on this pull request.');
    expect(messageOf(scene)).toContain('- F1 src/a.ts:1');
    expect(messageOf(scene)).toContain('Comparing with == tells the length.');
    expect(report).toMatchObject({
      learned: { facts: [], known: [{ id: ID, handle: 'F1', state: 'open' }] },
    });
  });

  it('are requested on the own pull request however a finding ended, since people can reopen it', async () => {
    const closed = `- ended ${ID}/42 pr=42 path=src/a.ts cat=security how=settled why=closed by=octocat at=2026-02-02T00:00:00.000Z\n`;
    const { deps } = depsOf({
      memory: { [STATE]: FINDING.replaceAll('41', '42') + closed },
      threads: { 42: read(thread()) },
    });
    expect(await runPipeline(REQUEST, deps)).toMatchObject({
      learned: { facts: [{ kind: 'finding', id: ID, pull: 42 }], known: [{ state: 'open' }] },
    });
  });

  it('are skipped if the conversations cannot be read', async () => {
    const trouble = 'GitHub answered 403. Add `pull-requests: read`.';
    const { deps } = depsOf({ threads: { 41: { kind: 'unread', message: trouble } } });
    expect(await runPipeline(REQUEST, deps)).toMatchObject({
      outcome: { kind: 'completed' },
      learned: { facts: [], known: [], trouble },
    });
    expect(deps.warnings).toEqual([]);
  });

  it('exclude accounts whose permission GitHub does not reveal', async () => {
    const { deps } = depsOf({ threads: { 41: read(thread({ thumbsDown: ['hubot'] })) } });
    await runPipeline(REQUEST, deps);
    expect(deps.steps).toContain('ask for permission of hubot');
    expect(deps.memory.get(STATE)).not.toContain('ended');
  });

  it('apply only to the own pull request if a run stores no findings, and are requested only after a review', async () => {
    const reviewed = '- reviewed 42 head=aaaaaaa base=bbbbbbb into=main at=2026-02-01T00:00:00.000Z\n';
    const request = { ...REQUEST, trigger: pullRequest({ author: { login: 'hubot', isBot: false } }) };
    const threads = { 42: read(thread({ thumbsDown: ['octocat'] })) };
    const first = depsOf({ memory: {}, threads });
    await runPipeline(request, first.deps);
    expect(first.deps.steps).not.toContain('read threads of #42');
    const { deps } = depsOf({ memory: { [STATE]: reviewed }, threads });
    expect(await runPipeline(request, deps)).toMatchObject({
      learned: { facts: [], known: [{ id: ID, state: 'dismissed' }] },
    });
    expect(deps.memory.get(STATE)).not.toContain('ended');
    const forgotten = `- forgotten ${ID} at=2026-02-02T00:00:00Z\n`;
    const again = depsOf({ memory: { [STATE]: reviewed + forgotten }, threads });
    expect(await runPipeline(request, again.deps)).toMatchObject({ learned: { known: [{ state: 'open' }] } });
  });

  it('do not come back after they were forgotten', async () => {
    const forgotten = `- forgotten ${ID} at=2026-02-02T00:00:00Z\n`;
    const { deps } = depsOf({ memory: { [STATE]: FINDING + forgotten } });
    await runPipeline(REQUEST, deps);
    expect(deps.steps.filter((step) => step.startsWith('read threads'))).toEqual([]);
    expect(deps.memory.get(STATE)).not.toContain('ended');
  });

  it.each([
    ['an issue', issue()],
    ['a comment on an issue', comment()],
    ['a schedule', SCHEDULE],
  ])('require a pull request, not %s', async (_, trigger) => {
    const { deps } = depsOf();
    await runPipeline({ ...REQUEST, trigger }, deps);
    expect(deps.steps.filter((step) => step.startsWith('read threads'))).toEqual([]);
  });

  it('require requests for at most ten accounts and five other pull requests', async () => {
    const numbers = Array.from({ length: 9 }, (_, index) => 50 + index);
    const crowd = Array.from({ length: 30 }, (_, index) => `hubot-${index}`);
    const state = numbers.map((n) => FINDING.replaceAll('41', `${n}`)).join('');
    const threads = Object.fromEntries(numbers.map((n) => [n, read(thread({ thumbsDown: crowd }))]));
    const { deps } = depsOf({ memory: { [STATE]: state }, threads });
    await runPipeline(REQUEST, deps);
    const count = (start: string) => deps.steps.filter((step) => step.startsWith(start)).length;
    expect(count('read threads')).toBe(5);
    expect(count('ask for permission of hubot-')).toBe(10);
  });
});
