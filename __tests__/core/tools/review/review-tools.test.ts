import { describe, expect, it } from '@jest/globals';
import { Publications } from '../../../../src/core/review/buffer.js';
import { readDiffLines } from '../../../../src/core/review/diff-lines.js';
import { DEFAULT_PUBLISH_RULES } from '../../../../src/core/review/publish-rules.js';
import { createReviewTools, REVIEW_TOOL_NAMES } from '../../../../src/core/tools/review/review-tools.js';
import { quiet } from '../fake-workspace.js';

const DIFF = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,3 @@\n one();\n+two();\n three();\n';

function start() {
  const rules = {
    ...DEFAULT_PUBLISH_RULES,
    mayRequestChanges: true,
    labels: ['bug', 'docs'],
    assignees: ['octocat'],
  };
  const publications = new Publications({ rules, lines: readDiffLines(DIFF), subject: 42 });
  const tools = createReviewTools(publications);
  const call = async (name: string, input: object) => {
    const tool = tools.find((one) => one.name === name);
    return tool === undefined ? undefined : tool.execute(input, quiet);
  };
  return { publications, tools, call };
}

describe('the tools that publish', () => {
  it('have a fixed order and the effect that asks for no permission', () => {
    const { tools } = start();
    expect(tools.map(({ name }) => name)).toEqual(REVIEW_TOOL_NAMES);
    expect(new Set(tools.map(({ effect }) => effect))).toEqual(new Set(['publish']));
  });

  it('fill the buffer', async () => {
    const { publications, call } = start();
    const results = [
      await call('add_review_comment', {
        path: 'src/a.ts',
        line: '3',
        start_line: 2,
        side: 'right',
        code: 'three();',
        rule: 'Wrong Order',
        body: 'Swap them.',
        suggestion: 'three();\ntwo();',
      }),
      await call('submit_review', { summary: 'One risk.', verdict: 'request-changes' }),
      await call('set_labels', { add: 'bug, docs', remove: 'docs' }),
      await call('assign', { logins: '@octocat' }),
      await call('create_issue', { title: 'T', body: 'B', labels: 'bug' }),
      await call('react', { reaction: 'eyes' }),
    ];
    expect(results.map((result) => result?.isError)).toEqual([false, false, false, false, false, false]);
    expect(publications.buffered).toMatchObject({
      findings: [
        {
          finding: {
            path: 'src/a.ts',
            line: 3,
            startLine: 2,
            rule: 'wrong-order',
            suggestion: 'three();\ntwo();',
          },
          placement: { kind: 'line', line: 3, startLine: 2, isExact: true },
        },
      ],
      review: { summary: 'One risk.', verdict: 'request-changes' },
      labels: { add: ['bug'], remove: ['docs'] },
      assignees: ['octocat'],
      issues: [{ title: 'T', body: 'B', labels: ['bug'] }],
      reaction: 'eyes',
      refusals: [],
    });
  });

  it('need neither a rule nor a verdict', async () => {
    const { publications, call } = start();
    await call('add_review_comment', { path: 'src/a.ts', line: 2, body: 'Why?' });
    await call('submit_review', { summary: 'S' });
    expect(publications.buffered.findings[0]?.finding.rule).toBe('general');
    expect(publications.buffered.review?.verdict).toBe('comment');
  });

  it.each<[string, object, string]>([
    ['add_review_comment', { path: 'src/a.ts', line: 2, body: 'x', side: 'up' }, '`side` is RIGHT'],
    ['add_review_comment', { path: 'src/a.ts', line: 0, body: 'x' }, '`line` must be at least 1'],
    ['add_review_comment', { path: 'src/a.ts', line: 2, body: '' }, '`body` is empty'],
    ['submit_review', { summary: 'x', verdict: 'APPROVE' }, 'cannot approve'],
    ['set_labels', { add: 'evil' }, 'Labels that may be set: "bug", "docs"'],
    ['set_labels', {}, 'no name was given'],
    ['assign', { logins: 'stranger' }, 'Logins that may be assigned: "octocat"'],
    ['create_issue', { title: '', body: 'x' }, '`title` is empty'],
    ['react', { reaction: 'tada' }, 'is not one of those allowed here'],
  ])('%s answers %j with what is wrong', async (name, input, expected) => {
    const { publications, call } = start();
    const result = await call(name, input);
    expect(result?.isError).toBe(true);
    expect(result?.text).toContain(expected);
    expect(publications.buffered).toMatchObject({
      findings: [],
      review: undefined,
      issues: [],
      assignees: [],
    });
  });
});
