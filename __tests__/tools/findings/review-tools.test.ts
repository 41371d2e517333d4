import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PUBLISH_RULES } from '../../../src/findings/buffered-publications.js';
import { commentableLines, lineFingerprint } from '../../../src/findings/change/diff-lines.js';
import { linesOfDiff, ShownFiles } from '../../../src/findings/decide/evidence.js';
import { PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { parseDiff } from '../../../src/lib/text/diff.js';
import { createReviewTools, REVIEW_TOOL_NAMES } from '../../../src/tools/findings/review-tools.js';
import { findingLine, kept } from '../../helpers/marks.js';
import { ledgerOf, ours, said, seen, thread } from '../../helpers/seen.js';
import { quiet } from '../workspace-scene.js';

const DIFF = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n one();\n+two();\n three();\n';

const COMMENT = {
  path: 'src/a.ts',
  line: 2,
  code: 'two();',
  title: 'It is called too early',
  body: 'Swap them.',
  category: 'correctness',
  effect: 'failure',
  reach: 'common',
};

function start() {
  const rules = { ...DEFAULT_PUBLISH_RULES, blockOn: 'major' as const, labels: ['bug', 'docs'] };
  const shown = new ShownFiles(linesOfDiff(parseDiff(DIFF)));
  const finding = kept({ title: 'Rows are lost', code: lineFingerprint('one();') });
  const record = { findings: [finding], heard: [], review: 0 };
  const first = ours({ body: `${findingLine()}\nIt is wrong.` });
  const replies = [said('octocat', 'We want it so.')];
  const earlier = thread({ hunk: '@@ -1 +1 @@\n one();', first, replies });
  const review = {
    lines: commentableLines(DIFF),
    fresh: undefined,
    ledger: ledgerOf(seen({ threads: [earlier] }), { diff: DIFF, record }),
    hasTitles: true,
    overrides: {},
    isRead: () => true,
    run: '7/1/review',
    shown,
    isInScope: () => true,
    isLaterReview: false,
  };
  const publications = new PublicationBuffer({ rules, review, subject: 42 });
  const tools = createReviewTools(publications);
  const call = async (name: string, input: object) => {
    const tool = tools.find((one) => one.name === name);
    return tool === undefined ? undefined : tool.execute(input, quiet);
  };
  return { publications, tools, call };
}

const LINE = { path: 'src/a.ts', line: 2, code: 'two();' };
const FIRST = { path: 'src/a.ts', line: 1, code: 'one();' };

describe('the tools that publish', () => {
  it('have a fixed order and the effect that needs no permission', () => {
    const { tools } = start();
    expect(tools.map(({ name }) => name)).toEqual(REVIEW_TOOL_NAMES);
    expect(new Set(tools.map(({ effect }) => effect))).toEqual(new Set(['publish']));
  });

  it.each([
    [2, 3],
    [3, 2],
  ])('read a range in its order: %i, %i', async (line, startLine) => {
    const { publications, call } = start();
    const range = { line, start_line: startLine, code: '', suggestion: 'one;' };
    await call('add_review_comment', { ...COMMENT, ...range });
    const [{ finding } = {}] = publications.buffered.findings;
    expect([finding?.startLine, finding?.line]).toEqual([2, 3]);
  });

  it('fill the buffer', async () => {
    const { publications, call } = start();
    const results = [
      await call('add_review_comment', {
        ...COMMENT,
        line: '3',
        start_line: 2,
        side: 'right',
        code: 'two();\nthree();',
        category: 'Error_Handling',
        effect: ' FAILURE ',
        trigger: 'three needs two',
        evidence: [{ ...LINE, line: '2' }],
        suggestion: 'three();\ntwo();',
        sure: 'false',
      }),
      await call('settle_finding', {
        finding: 'FQ7K2',
        how: 'Fixed',
        reason: 'It is.',
        evidence: LINE,
      }),
      await call('submit_review', { summary: 'One risk.' }),
      await call('set_labels', { add: 'bug, docs', remove: 'docs' }),
      await call('create_issue', { title: 'T', body: 'B', labels: 'bug' }),
      await call('react', { reaction: 'eyes' }),
    ];
    expect(results.filter((result) => result?.isError !== false)).toEqual([]);
    expect(publications.buffered).toMatchObject({
      findings: [
        {
          finding: {
            path: 'src/a.ts',
            line: 3,
            startLine: 2,
            title: 'It is called too early',
            category: 'error-handling',
            effect: 'failure',
            reach: 'common',
            severity: 'major',
            confidence: 'unsure',
            trigger: 'three needs two',
            evidence: [LINE],
            suggestion: 'three();\ntwo();',
          },
          placement: { kind: 'line', line: 3, startLine: 2, isExact: false },
        },
      ],
      settlements: [{ finding: { handle: 'FQ7K2' }, how: 'fixed', reason: 'It is.', by: '' }],
      review: { summary: 'One risk.' },
      labels: { add: ['bug'], remove: ['docs'] },
      issues: [{ title: 'T', body: 'B', labels: ['bug'] }],
      reaction: 'eyes',
      refusals: [],
    });
  });

  it('accept a repeated finding by name, and the words of a person', async () => {
    const { publications, call } = start();
    await call('add_review_comment', { ...COMMENT, same_as: 'FQ7K2' });
    const by = { how: 'dismissed', by: '@octocat' };
    await call('settle_finding', { finding: 'FQ7K2', reason: 'They want it so.', ...by });
    expect(publications.buffered).toMatchObject({
      repeated: [{ of: { handle: 'FQ7K2' } }],
      settlements: [{ how: 'dismissed', by: 'octocat' }],
    });
  });

  it.each([
    ['taste', 'other'],
    ['', 'other'],
    ['Error Handling', 'error-handling'],
  ])('take a category that is written %j as %s', async (category, expected) => {
    const { publications, call } = start();
    await call('add_review_comment', { ...COMMENT, category });
    expect(publications.buffered.findings[0]?.finding.category).toBe(expected);
  });

  it.each<[string, unknown, readonly object[]]>([
    ['a string', 'src/a.ts:2: two();', [LINE]],
    ['a string without a space', 'src/a.ts:2:two();', [LINE]],
    ['strings in a list', ['src/a.ts:2: two();'], [LINE]],
    ['a string among objects', [LINE, 'src/a.ts:1: one();'], [LINE, FIRST]],
    ['two pieces in a string', 'src/a.ts:2: two();\nsrc/a.ts:1: one();\n', [LINE, FIRST]],
    ['a piece of two lines', 'src/a.ts:1: one();\ntwo();', [FIRST]],
  ])('read evidence that is %s', async (_, evidence, expected) => {
    const { publications, call } = start();
    await call('add_review_comment', { ...COMMENT, evidence });
    expect(publications.buffered.findings[0]?.finding.evidence).toEqual(expected);
  });

  it.each<[string, object, string, boolean]>([
    ['add_review_comment', { ...COMMENT, severity: 'critical' }, 'severity', false],
    [
      'add_review_comment',
      { ...COMMENT, evidence: { ...LINE, side: 'RIGHT', note: '' } },
      'note',
      false,
    ],
    ['add_review_comment', { ...COMMENT, effect: 'bad', severity: 'nit' }, 'severity', true],
    ['submit_review', { summary: 'x', verdict: 'APPROVE' }, 'verdict', false],
    ['submit_review', JSON.parse('{"summary":"x","__proto__":{}}'), '__proto__', false],
    ['react', { reaction: 'eyes', to: 'the issue' }, 'to', false],
  ])(
    '%s leaves out what it does not know in %j, and says so',
    async (name, input, unknown, isError) => {
      const { call } = start();
      const result = await call(name, input);
      expect(result?.text).toContain(`\`${unknown}\` is not an argument: left out.`);
      expect(result?.isError).toBe(isError);
    },
  );

  it.each<[string, object, string]>([
    ['add_review_comment', { ...COMMENT, side: 'up' }, '`side` must be one of `RIGHT`, `LEFT`'],
    ['add_review_comment', { ...COMMENT, line: 0 }, '`line` must be at least 1'],
    ['add_review_comment', { ...COMMENT, line: -3 }, '`line` must be at least 1'],
    ['add_review_comment', { ...COMMENT, start_line: 0 }, '`start_line` must be at least 1'],
    ['add_review_comment', { ...COMMENT, line: 'three' }, '`line` must be a whole number'],
    ['add_review_comment', { ...COMMENT, line: 1e300 }, '`line` must be a whole number'],
    [
      'add_review_comment',
      { ...COMMENT, line: 1e9, code: '' },
      'line 1000000000 of "src/a.ts" was not shown to you',
    ],
    ['add_review_comment', { ...COMMENT, title: ' ' }, '`title` is empty'],
    ['add_review_comment', { ...COMMENT, category: null }, '`category` is missing'],
    ['add_review_comment', { ...COMMENT, effect: 'bad' }, '`effect`'],
    ['add_review_comment', { ...COMMENT, effect: '' }, '`effect` must be one of `breach`, '],
    ['add_review_comment', { ...COMMENT, reach: 'sometimes' }, '`reach`'],
    ['add_review_comment', { ...COMMENT, evidence: 'two();' }, '`evidence` has an invalid item'],
    [
      'add_review_comment',
      { ...COMMENT, evidence: [{ path: 'a' }] },
      '`evidence` has an invalid item',
    ],
    ['settle_finding', { finding: 'FQ7K2', how: 'done', reason: 'x' }, '`how`'],
    ['set_labels', {}, 'no name was given'],
    ['react', { reaction: 'tada' }, 'is not one of those allowed here'],
  ])('%s answers %j with the reason', async (name, input, expected) => {
    const { publications, call } = start();
    const result = await call(name, input);
    expect(result?.isError).toBe(true);
    expect(result?.text).toContain(expected);
    const nothing = { findings: [], settlements: [], review: undefined, issues: [] };
    expect(publications.buffered).toMatchObject(nothing);
  });
});
