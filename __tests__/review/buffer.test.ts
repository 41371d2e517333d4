import { describe, expect, it } from '@jest/globals';
import { Publications } from '../../src/review/buffer.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../../src/review/publish-rules.js';
import type { KnownFinding } from '../../src/review/seen.js';
import type { CommentRequest } from '../../src/review/take-finding.js';
import { LINES, scopeRest } from './change.js';
import { known, ledgerOf, otherKnown } from './threads.js';

const RULES: PublishRules = { ...DEFAULT_PUBLISH_RULES, labels: ['bug', 'area/*'] };

function publications(
  rules: Partial<PublishRules> = {},
  earlier: readonly KnownFinding[] = [],
): Publications {
  const review = { lines: LINES, fresh: undefined, ledger: ledgerOf(earlier), ...scopeRest() };
  return new Publications({ rules: { ...RULES, ...rules }, review, subject: 42 });
}

function request(parts: Partial<CommentRequest> = {}): CommentRequest {
  const words = { title: 'The id reaches the query', body: 'Bind the id.' };
  const kind = { category: 'security', effect: 'breach', reach: 'rare' } as const;
  // A line that the change touches, so that a finding on another one is about the change.
  const evidence = [{ path: 'src/auth.ts', line: 11, code: 'return user;' }];
  return { path: 'src/auth.ts', line: 10, ...words, ...kind, evidence, ...parts };
}

const SHORTEN = 'bytes; shorten it to at most 4096.';
const LISTED = "it will be listed in the review's text, because";

describe('review comments', () => {
  it.each<[string, Partial<CommentRequest>, string]>([
    [
      'on a line of the diff, with the line they stand on',
      {},
      'it will be shown at line 10 of "src/auth.ts" (RIGHT), which reads "query(\\"SELECT \\" + user.id);".',
    ],
    [
      'on a line nearby, with the lines that can carry one',
      { line: 20 },
      `line 20 is not part of the diff; it will be shown at line 14 of "src/auth.ts" (RIGHT), which reads "line 13;", and say "(about line 20)".`,
    ],
    [
      'far from any line, with the lines that can carry one',
      { line: 500 },
      `${LISTED} line 500 is not part of the diff, and nothing near it is.`,
    ],
    [
      'on an unknown file, with the files that are in the diff',
      { path: 'src/b.ts' },
      `${LISTED} "src/b.ts" is not part of the diff.`,
    ],
    [
      'on a binary file',
      { path: 'logo.png' },
      `${LISTED} "logo.png" has no lines in the diff (it is binary, a submodule, or was only renamed).`,
    ],
    [
      'with a suggestion that cannot be offered',
      { line: 40, side: 'LEFT', suggestion: 'x' },
      'it will be shown at line 40 of "src/auth.ts" (LEFT), which reads "line 40;". Its suggestion will be shown as plain code: a suggestion can only replace lines of the new version that are in the diff.',
    ],
    [
      'with a suggestion that changes nothing',
      { line: 2, path: 'win.ts', startLine: 1, suggestion: 'a();\r\nc();\r\n' },
      'it will be shown at lines 1-2 of "win.ts" (RIGHT), which reads "c();". Its suggestion was left out: it is the same as the current code.',
    ],
  ])('are accepted %s', (_, parts, told) => {
    const buffer = publications();
    const text = `Comment 1 (severity major): ${told} Nothing is posted before the run ends.`;
    expect(buffer.addComment(request(parts))).toEqual({ kind: 'taken', text });
    expect(buffer.buffered.findings).toHaveLength(1);
    expect(buffer.buffered.refusals).toEqual([]);
  });

  it.each<[string, Partial<CommentRequest>, string]>([
    ['without words', { body: ' \n' }, '`body` is empty.'],
    ['that are walls of text', { body: 'ä'.repeat(2049) }, `\`body\` has 4098 ${SHORTEN}`],
    ['with an endless suggestion', { suggestion: 'x'.repeat(4097) }, `\`suggestion\` has 4097 ${SHORTEN}`],
    [
      'that quote another line',
      { code: 'exec(user.id)' },
      'line 10 of "src/auth.ts" reads "query(\\"SELECT \\" + user.id);", and no line of its diff reads as `code` does; send the line unchanged, or leave `code` out.',
    ],
  ])('are refused %s', (_, parts, told) => {
    const buffer = publications();
    const text = `Not accepted: ${told}`;
    expect(buffer.addComment(request(parts))).toEqual({ kind: 'refused', text });
    expect(buffer.buffered.findings).toEqual([]);
    expect(buffer.buffered.refusals).toEqual([{ tool: 'add_review_comment', why: text }]);
  });

  it('are accepted once for the same finding, with the later text', () => {
    const buffer = publications();
    buffer.addComment(request({ body: 'The id is in the query.' }));
    buffer.addComment(request({ line: 11 }));
    const answer = buffer.addComment(request({ body: 'The query has the id in it.', title: 'Unbound' }));
    expect(answer.text).toMatch(/^Comment 1 \(severity major\), in place of what it said before: /);
    const bodies = buffer.buffered.findings.map(({ finding }) => finding.body);
    expect(bodies).toEqual(['The query has the id in it.', 'Bind the id.']);
  });

  it('and questions about earlier ones are not refusals, and each is put once', () => {
    const buffer = publications({}, [known()]);
    const unlike = request({ title: 'Timeout is counted in seconds', category: 'correctness' });
    expect(buffer.addComment(unlike).text).toMatch(/^Not accepted: not yet\. FQ7K2 is open at line 10: /);
    // A question that stays open loses no finding.
    expect(buffer.buffered).toMatchObject({ findings: [{}], refusals: [] });
    expect(buffer.buffered.questioned.size).toBe(1);
    expect(buffer.addComment({ ...unlike, sameAs: 'FZZZ9' }).kind).toBe('refused');
    expect(buffer.buffered.refusals).toHaveLength(1);
    expect(buffer.addComment(unlike).kind).toBe('taken');
    expect(buffer.buffered.findings).toHaveLength(1);
  });

  it('about which a question was answered are one, in whatever words the answer was given', () => {
    const buffer = publications({}, [known()]);
    const unlike = request({ title: 'Timeout is counted in seconds', category: 'correctness' });
    buffer.addComment(unlike);
    buffer.addComment({ ...unlike, body: 'The client waits for minutes.', sameAs: 'FQ7K2' });
    expect(buffer.buffered).toMatchObject({ findings: [], repeated: [{ of: { handle: 'FQ7K2' } }] });
  });

  it('beyond the limit appear in the text', () => {
    const buffer = publications({ maxComments: 3 });
    const texts = [7, 8, 9, 10].map((line) => buffer.addComment(request({ line })).text);
    expect(texts.map((text) => text.includes('at most 3'))).toEqual([false, false, false, true]);
    expect(buffer.buffered.findings).toHaveLength(4);
  });

  it('are counted when there are more than a run can raise', () => {
    const buffer = publications({ maxFindings: 2 });
    for (const line of [10, 9, 8, 7]) buffer.addComment(request({ line }));
    expect(buffer.buffered.findings).toHaveLength(2);
    expect(buffer.buffered.refusedFindings).toBe(2);
    expect(buffer.addComment(request({ body: 'Bind it.' })).kind).toBe('taken');
    expect(buffer.buffered.refusedFindings).toBe(2);
  });

  it('are refused if there is no diff', () => {
    const buffer = new Publications({ rules: RULES, review: undefined, subject: 7 });
    expect(buffer.addComment(request()).kind).toBe('refused');
    expect(buffer.submitReview('x').kind).toBe('refused');
  });

  it('contain nothing to commit except the suggestion', () => {
    const buffer = publications();
    buffer.addComment(request({ body: 'Do\n```suggestion\nrm -rf\n```' }));
    expect(buffer.buffered.findings[0]?.finding.body).toBe('Do\n```\nrm -rf\n```');
  });
});

describe('the submitted review', () => {
  it('is the text of the last call', () => {
    const buffer = publications();
    buffer.addComment(request());
    buffer.submitReview('First.');
    const { text } = buffer.submitReview(' Second. ');
    expect(text).toContain('in place of the one before, with 1 finding.');
    expect(buffer.buffered.review?.summary).toBe('Second.');
  });
});

describe('the ends of earlier findings', () => {
  const WRONG = { finding: 'FQ7K2', how: 'wrong', reason: 'It is bound already.', evidence: [] } as const;

  it('are accepted, and refused if they are invalid', () => {
    const buffer = publications({}, [known()]);
    expect(buffer.settle(WRONG).kind).toBe('taken');
    expect(buffer.settle({ ...WRONG, finding: 'FX3M9' }).kind).toBe('refused');
    expect(buffer.buffered.settlements).toMatchObject([{ finding: { handle: 'FQ7K2' }, how: 'wrong' }]);
    expect(buffer.buffered.refusals).toMatchObject([{ tool: 'settle_finding' }]);
  });

  it('are refused if there is no diff', () => {
    const buffer = new Publications({ rules: RULES, review: undefined, subject: 7 });
    expect(buffer.settle(WRONG).kind).toBe('refused');
  });

  it.each<[string, readonly KnownFinding[], boolean]>([
    ['there is none', [], false],
    ['one is open', [known()], true],
    ['all have ended', [known({ state: 'settled' }), otherKnown({ state: 'outdated' })], false],
  ])('have a tool only if one can be ended: %s', (_, earlier, isOpen) => {
    expect(publications({}, earlier).isOpenTo('settle_finding')).toBe(isOpen);
  });
});

describe('requested labels', () => {
  it('are those that are allowed, and the answer names them', () => {
    const buffer = publications();
    const answer = buffer.setLabels({ add: ['Bug', 'evil'], remove: ['area/docs'] });
    expect(answer).toEqual({
      kind: 'taken',
      text: 'Taken: "bug", "area/docs". Not accepted: "evil". Labels that may be set: "bug", "area/*"; at most 5 a run.',
    });
    expect(buffer.buffered.labels).toEqual({ add: ['bug'], remove: ['area/docs'] });
    expect(buffer.buffered.refusals).toHaveLength(1);
  });

  it('follow the last call about each', () => {
    const buffer = publications();
    buffer.setLabels({ add: ['bug', 'area/a'], remove: [] });
    buffer.setLabels({ add: [], remove: ['BUG'] });
    expect(buffer.buffered.labels).toEqual({ add: ['area/a'], remove: ['bug'] });
    buffer.setLabels({ add: ['bug'], remove: [] });
    expect(buffer.buffered.labels).toEqual({ add: ['area/a', 'bug'], remove: [] });
    buffer.setLabels({ add: ['bug'], remove: ['bug'] });
    expect(buffer.buffered.labels).toEqual({ add: ['area/a'], remove: ['bug'] });
  });

  it('are at most five', () => {
    const buffer = publications();
    const add = ['1', '2', '3', '4', '5', '6'].map((one) => `area/${one}`);
    expect(buffer.setLabels({ add, remove: [] }).text).toContain('Not accepted: "area/6".');
    expect(buffer.setLabels({ add: ['bug'], remove: [] }).kind).toBe('refused');
    expect(buffer.buffered.labels.add).toEqual(add.slice(0, 5));
  });

  it.each<[string, Partial<PublishRules>, readonly string[]]>([
    ['none is allowed', { labels: [] }, ['bug']],
    ['none is given', {}, []],
    ['all are unknown', {}, ['x', 'y']],
  ])('are refused if %s', (_, rules, add) => {
    const buffer = publications(rules);
    expect(buffer.setLabels({ add, remove: [] }).kind).toBe('refused');
    expect(buffer.buffered.labels).toEqual({ add: [], remove: [] });
  });
});

describe('reactions and issues', () => {
  it.each<[string, Partial<PublishRules>, string | undefined]>([
    ['rocket', {}, 'rocket'],
    [' EYES ', {}, 'eyes'],
    ['tada', {}, undefined],
    ['-1', { reactions: ['+1'] }, undefined],
    ['+1', { reactions: [] }, undefined],
  ])('react with %j under %j as %j', (content, rules, expected) => {
    const buffer = publications(rules);
    expect(buffer.react(content).kind).toBe(expected === undefined ? 'refused' : 'taken');
    expect(buffer.buffered.reaction).toBe(expected);
  });

  it('open one issue, which can be changed', () => {
    const buffer = publications();
    expect(buffer.createIssue({ title: 'Leak\nin auth', body: 'a', labels: ['bug', 'x'] }).text).toBe(
      'The issue "Leak in auth" is recorded. Without these labels, which this workflow does not allow: "x". It is opened when the run ends.',
    );
    buffer.createIssue({ title: 'Leak in auth', body: 'b', labels: [] });
    expect(buffer.createIssue({ title: 'Another', body: 'c', labels: [] }).text).toContain('1 issue');
    expect(buffer.buffered.issues).toEqual([{ title: 'Leak in auth', body: 'b', labels: [] }]);
  });

  it.each<[string, string, number]>([
    [' ', 'body', 1],
    ['title', '', 1],
    ['title', 'x'.repeat(40_000), 1],
    ['title', 'body', 0],
  ])('open no issue %j', (title, body, maxIssues) => {
    const buffer = publications({ maxIssues });
    expect(buffer.createIssue({ title, body, labels: [] }).kind).toBe('refused');
    expect(buffer.buffered.issues).toEqual([]);
  });

  it('are refused if the run has no subject', () => {
    const buffer = new Publications({ rules: RULES, review: undefined, subject: undefined });
    expect(buffer.setLabels({ add: ['bug'], remove: [] }).kind).toBe('refused');
    expect(buffer.react('eyes').kind).toBe('refused');
    expect(buffer.createIssue({ title: 'Nightly', body: 'x', labels: [] }).kind).toBe('taken');
    expect(buffer.buffered.refusals).toHaveLength(2);
  });
});
