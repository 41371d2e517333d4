import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY } from '../../../src/event/permission.js';
import type { Post } from '../../../src/review/seen.js';
import { marksOf, parseReviewFacts } from '../../../src/review/state-facts.js';
import { runPipeline } from '../../../src/run/run.js';
import { createFakeDependencies, makeRequest } from '../../helpers/dependencies-fake.js';
import { ended, findingLine, raised } from '../../helpers/marks.js';
import { WRITER } from '../../helpers/reports.js';
import { ours, said, seen, thread } from '../../helpers/seen.js';
import { comment, OCTOCAT, STRANGER } from '../../helpers/triggers.js';

const OTHER = raised({ id: '1'.repeat(16), handle: 'FX4R9', title: 'Rows are lost', category: 'data' });

/** Two findings in one conversation. */
const JOINED = ours({ body: `${findingLine({}, OTHER)}\nTwo things.` });
const DONE = { state: 'settled', why: 'fixed', by: 'model', closed: false } as const;

/** Says something on the pull request, in the conversation of `first` or below. */
async function say(
  body: string,
  {
    first = ours(),
    isBelow = false,
    author = OCTOCAT,
  }: { first?: Post; isBelow?: boolean; author?: typeof OCTOCAT | typeof STRANGER } = {},
) {
  const post = said(author.login, body, { id: 9 });
  const what = seen({
    threads: [thread({ first, replies: isBelow ? [] : [post] })],
    comments: isBelow ? [post] : [],
  });
  const deps = createFakeDependencies({
    permissions: { ...WRITER, [STRANGER.login]: { kind: 'known', permission: 'read' } },
    said: { 42: { kind: 'read', seen: what } },
    toldMarks: [{ pull: 42, marks: [raised(), ended({ login: author.login })] }],
  });
  const where = isBelow ? {} : { event: 'pull_request_review_comment', inReplyTo: first.id };
  const trigger = comment({
    on: 'pull_request',
    number: 42,
    commentId: 9,
    body,
    author,
    actor: author,
    ...where,
  });
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '@axe' };
  const report = await runPipeline(makeRequest({ trigger, inWorkflow: true, admissionPolicy }), deps);
  const [told] = deps.told;
  const states = told?.ledger.findings.map(({ handle, state }) => `${handle} ${state}`);
  return { report, deps, states, reply: deps.replies[0] };
}

describe('a command about a finding', () => {
  it.each<[string, Parameters<typeof say>[1], readonly string[]]>([
    ['/axe dismiss', {}, ['FQ7K2 dismissed']],
    ['/axe done thanks', {}, ['FQ7K2 settled']],
    ['/axe dismiss FQ7K2', { isBelow: true }, ['FQ7K2 dismissed']],
    ['@axe dismiss FQ7K2', { isBelow: true }, ['FQ7K2 dismissed']],
    ['@axe done', {}, ['FQ7K2 settled']],
    ['/axe dismiss fx4r9', { first: JOINED }, ['FQ7K2 open', 'FX4R9 dismissed']],
    [
      '/axe reopen',
      { first: ours({ body: `${findingLine({}, ended(DONE))}\nIt is wrong.` }) },
      ['FQ7K2 open'],
    ],
    ['Not a bug.', {}, ['FQ7K2 dismissed']],
    ['Not a bug.', { first: JOINED }, ['FQ7K2 dismissed', 'FX4R9 dismissed']],
  ])('is carried out, told and answered at once: %s, %#', async (body, scene, expected) => {
    const { states, deps, reply } = await say(body, scene);
    expect([...(states ?? [])].sort()).toEqual(expected);
    const { ended: over = [], back = [] } = deps.told[0]?.news ?? {};
    expect(deps.told[0]?.answered).toEqual(new Set([...over, ...back].map(({ id }) => id)));
    expect(reply?.text).toMatch(/Undo: `\/axe (reopen|dismiss) F/);
    expect(deps.steps).not.toContain('ask model');
  });

  it('keeps its marks, and answers with those that are not known yet', async () => {
    const { deps, reply } = await say('/axe dismiss');
    expect(marksOf(parseReviewFacts(deps.memory.get('bot.state.md') ?? ''))).toMatchObject([
      { kind: 'raised', pull: 42 },
      { kind: 'ended', pull: 42 },
    ]);
    expect(reply?.marks).toMatchObject([{ kind: 'ended' }]);
  });
});
