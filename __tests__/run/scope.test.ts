import { describe, expect, it } from '@jest/globals';
import type { TriggerContext } from '../../src/event/context.js';
import type { CommentTrigger } from '../../src/event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/trust.js';
import { formatCoverage, patchIds } from '../../src/findings/change/scope.js';
import type { ReviewedFact } from '../../src/findings/state-facts.js';
import { AxeError } from '../../src/lib/errors.js';
import { withFacts } from '../../src/memory/state.js';
import type { RunRequest } from '../../src/run/records.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { reportOf, WRITER } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE, workflowRun } from '../helpers/triggers.js';
import { prepare } from './prepare.js';

const REVIEWER = AGENT_WITH_MEMORY.replace('[memory]', 'tools = ["submit_review"]\n[memory]');
const PULL = pullRequest();
const LAST = '1'.repeat(40);
const REVIEWED: ReviewedFact = {
  kind: 'reviewed',
  pull: PULL.number,
  head: LAST,
  base: 'b',
  into: PULL.base.ref,
  at: Date.parse('2026-11-22T10:00:00Z'),
};
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n';
const modified = (path: string) => ({ path, status: 'modified', additions: 1, deletions: 1 });
const change = { diff: DIFF, files: [modified('a.ts')], filesTotal: 1 };
const CONTEXT: TriggerContext = { kind: 'pull_request', ...change, warnings: [] };

async function scopeOf(parts: FakeDependenciesParts = {}, patch: Partial<RunRequest> = {}) {
  const deps = createFakeDependencies({
    agents: { bot: REVIEWER },
    permissions: WRITER,
    context: CONTEXT,
    memory: { 'bot.state.md': withFacts('', [REVIEWED]) },
    newSince: { kind: 'ahead', change, warnings: [] },
    ...parts,
  });
  const prepared = await prepare(makeRequest({ trigger: PULL, dryRun: true, ...patch }), deps);
  if (prepared.kind === 'skipped') throw new Error(prepared.decision.message);
  return { scope: prepared.plan.scope, plan: prepared.plan, steps: deps.steps };
}

it.each<[string, FakeDependenciesParts, Partial<RunRequest>, string]>([
  ['a first review', { memory: {} }, {}, 'first'],
  [
    'another base',
    {},
    { trigger: pullRequest({ base: { ref: 'release', sha: 'b' } }) },
    'other-base',
  ],
  ['the input', {}, { reviewScope: 'full' }, 'asked'],
])('the scope is everything without a request to GitHub: %s', async (_, parts, patch, why) => {
  const { scope, steps } = await scopeOf(parts, patch);
  expect(scope).toMatchObject({ kind: 'full', why });
  expect(steps.filter((step) => step.startsWith('compare'))).toEqual([]);
});

it.each(['rewritten', 'unread'] as const)(
  'the scope is everything if what is new is %s',
  async (kind) => {
    expect((await scopeOf({ newSince: { kind } })).scope).toMatchObject({
      kind: 'full',
      why: kind,
    });
  },
);

it('the scope names files that a push took back to the base', async () => {
  const pushed = { ...change, files: ['a.ts', 'b.ts'].map(modified), filesTotal: 2 };
  const { scope } = await scopeOf({ newSince: { kind: 'ahead', change: pushed, warnings: [] } });
  expect(scope).toMatchObject({ kind: 'since', reverted: ['b.ts'] });
  expect(formatCoverage({ kind: 'part', files: 1, read: 1, unread: [] }, scope)).toContain(
    '1 of 1 file',
  );
});

describe('the scope of a rewritten branch', () => {
  const part = (path: string) =>
    DIFF.replaceAll('a.ts', path).replace('\n', '\nindex 3f2a1b0..9c4d5e6 100644\n');
  const files = ['a.ts', 'b.ts'].map(modified);
  const diff = part('a.ts') + part('b.ts');
  const context: TriggerContext = {
    kind: 'pull_request',
    diff,
    files,
    filesTotal: 2,
    warnings: [],
  };
  const remembered = (before: string, patch: Partial<ReviewedFact> = {}): FakeDependenciesParts => {
    const patches = patchIds(before, () => false);
    return {
      context,
      memory: { 'bot.state.md': withFacts('', [{ ...REVIEWED, patches, ...patch }]) },
    };
  };

  it('is the files whose patch is another one, and what was not seen before', async () => {
    const parts = remembered(part('a.ts').replace('-1 +1', '-7 +7'), { unseen: ['b.ts'] });
    const { scope } = await scopeOf({ ...parts, newSince: { kind: 'rewritten' } });
    const change = { diff: part('b.ts'), files: files.slice(1), filesTotal: 1 };
    expect(scope).toMatchObject({
      kind: 'since',
      before: { last: LAST },
      isRewritten: true,
      change,
    });
    expect(scope?.before?.unseen).toBeUndefined();
  });

  it.each<[string, FakeDependenciesParts, Partial<RunRequest>]>([
    ['no patch is the same', remembered(diff.replaceAll('+y', '+z')), {}],
    [
      'GitHub does not list all files',
      { ...remembered(diff), context: { ...context, filesTotal: 3 } },
      {},
    ],
    [
      'what is new has to be read in parts',
      remembered(part('a.ts')),
      { diffPolicy: { ...makeRequest().diffPolicy, maxTokens: 5 } },
    ],
  ])('is everything if %s', async (_, parts, patch) => {
    const { scope } = await scopeOf({ ...parts, newSince: { kind: 'rewritten' } }, patch);
    expect(scope).toMatchObject({ kind: 'full', why: 'rewritten' });
  });
});

it.each<[string, FakeDependenciesParts, Partial<RunRequest>]>([
  ['an agent that posts no reviews', { agents: { bot: AGENT_WITH_MEMORY } }, {}],
  [
    'an agent without memory',
    { agents: { bot: REVIEWER.replace('enabled = true', 'enabled = false') } },
    {},
  ],
  ['a change that could not be read', { context: { kind: 'none', warnings: [] } }, {}],
  ['a question', {}, { trigger: comment({ on: 'pull_request', body: 'Why?' }) }],
])('the scope is not decided for %s', async (_, parts, patch) => {
  expect((await scopeOf(parts, patch)).scope).toBeUndefined();
});

it('a review command starts no agent that posts no reviews, if that waits for a phrase', async () => {
  const trigger = comment({ on: 'pull_request', number: PULL.number, body: '/axe review' });
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '@axe' };
  const scene = (agent: string) => {
    const started: string[] = [];
    const deps = createFakeDependencies({
      agents: { bot: agent },
      permissions: WRITER,
      context: CONTEXT,
    });
    const acknowledgement = { start: () => void started.push('eyes'), end: async () => undefined };
    return { started, deps: { ...deps, acknowledgement } };
  };
  const answers = scene(AGENT_WITH_MEMORY);
  expect(await prepare(makeRequest({ trigger, admissionPolicy }), answers.deps)).toMatchObject({
    kind: 'skipped',
    decision: { reason: 'no-mention' },
  });
  const reviews = scene(REVIEWER);
  expect(await prepare(makeRequest({ trigger, admissionPolicy }), reviews.deps)).toMatchObject({
    kind: 'prepared',
  });
  expect([answers.started, reviews.started]).toEqual([[], ['eyes']]);
  const everything = scene(AGENT_WITH_MEMORY);
  expect(await prepare(makeRequest({ trigger }), everything.deps)).toMatchObject({
    kind: 'prepared',
  });
});

describe('files that the inputs of the last review left out', () => {
  const files = ['a.ts', 'docs/a.md', 'b.ts'].map(modified);
  const diff = files.map(({ path }) => DIFF.replaceAll('a.ts', path)).join('');
  const context: TriggerContext = {
    kind: 'pull_request',
    diff,
    files,
    filesTotal: 3,
    warnings: [],
  };
  const only = { paths: ['*.ts'], pathsIgnore: ['b.ts'] };
  const withOnly: ReviewedFact = { ...REVIEWED, only };
  const memory = { 'bot.state.md': withFacts('', [withOnly]) };

  it('are shown as unread files once the inputs include them', async () => {
    const { scope, plan } = await scopeOf({ context, memory });
    expect(scope).toMatchObject({ kind: 'since', before: { unseen: ['docs/a.md', 'b.ts'] } });
    expect(plan.task.message).toContain('2 files of the pull request were not shown to you before');
    expect(plan.task.message).toContain('+++ b/docs/a.md');
    expect(plan.coverage).toMatchObject({ kind: 'whole' });
  });

  it('start a run even if nothing else is new', async () => {
    const nothing = {
      kind: 'ahead',
      change: { diff: '', files: [], filesTotal: 0 },
      warnings: [],
    } as const;
    const { scope } = await scopeOf({ context, memory, newSince: nothing });
    expect(scope).toMatchObject({ before: { unseen: ['docs/a.md', 'b.ts'] } });
  });
});

it.each([
  ['@axe Why?', '@axe', 'Why?'],
  ['@axe Why?', '', 'Answer the comment by octocat on #7: Login is broken'],
])('the task of the comment %j with the phrase %j is %j', async (body, triggerPhrase, task) => {
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, triggerPhrase };
  const { plan } = await reportOf('planned', {}, { trigger: comment({ body }), admissionPolicy });
  expect(plan.task.sentence).toBe(task);
});

describe('the checks that a run asks', () => {
  const RULES = [{ path: '.axe/checks.md', content: '## Tested\nEach function has a test.\n' }];
  const UNREADABLE = new AxeError('no');
  const on = (body: string, patch: Partial<CommentTrigger> = {}) =>
    comment({ on: 'pull_request', number: PULL.number, body, ...patch });
  const WITHOUT_GUIDANCE = REVIEWER.replace('[memory]', 'guidance = false\n[memory]');

  it.each<[string, FakeDependenciesParts, Partial<RunRequest>, string | readonly string[]]>([
    ['a review', { guidance: RULES }, {}, ['Tested']],
    ['a review without rules', { guidance: [] }, {}, []],
    ['a review whose rules cannot be read', { guidance: UNREADABLE }, {}, 'unread'],
    ['`/axe review`', { guidance: RULES }, { trigger: on('/axe review') }, ['Tested']],
    [
      '`/axe review` on an issue',
      { guidance: RULES },
      { trigger: comment({ body: '/axe review' }) },
      'none',
    ],
    ['a question', { guidance: RULES }, { trigger: on('Why?') }, 'none'],
    [
      'a question whose rules cannot be read',
      { guidance: UNREADABLE },
      { trigger: on('Why?') },
      'none',
    ],
    ['an issue', { guidance: RULES }, { trigger: issue() }, 'none'],
    ['a schedule', { guidance: RULES }, { trigger: SCHEDULE }, 'none'],
    ['another workflow’s run', { guidance: RULES }, { trigger: workflowRun() }, 'none'],
    [
      'a change on this machine',
      {},
      {
        trigger: makeRequest().trigger,
        readChange: async () => ({ range: '', diff: DIFF, readBase: async () => RULES }),
      },
      'none',
    ],
    ['an agent without guidance', { guidance: RULES, agents: { bot: WITHOUT_GUIDANCE } }, {}, []],
    [
      'an agent that ends no review',
      { guidance: RULES, agents: { bot: AGENT_WITH_MEMORY } },
      {},
      [],
    ],
  ])('%s', async (_, parts, patch, expected) => {
    const { checks = 'none' } = (await scopeOf({ memory: {}, ...parts }, patch)).plan;
    expect(typeof checks === 'string' ? checks : checks.map(({ name }) => name)).toEqual(expected);
  });
});
