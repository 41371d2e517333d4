import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_PUBLISH_RULES,
  type PublishRules,
} from '../../src/findings/buffered-publications.js';
import { type CommentableLines, commentableLines } from '../../src/findings/change/diff-lines.js';
import type { CommentRequest } from '../../src/findings/decide/take-finding.js';
import type { KnownFinding } from '../../src/findings/known-finding.js';
import { PublicationBuffer } from '../../src/findings/publication-buffer.js';
import { LINES, scopeRest } from './change.js';
import { known, ledgerOf, otherKnown } from './threads.js';

const RULES: PublishRules = { ...DEFAULT_PUBLISH_RULES, labels: ['bug', 'area/*'] };

function publications(
  rules: Partial<PublishRules> = {},
  earlier: readonly KnownFinding[] = [],
  lines: CommentableLines = LINES,
) {
  const review = { lines, ledger: ledgerOf(earlier), ...scopeRest() };
  return new PublicationBuffer({ rules: { ...RULES, ...rules }, review, subject: 42 });
}

function request(parts: Partial<CommentRequest> = {}): CommentRequest {
  const words = { title: 'The id reaches the query', body: 'Bind the id.' };
  const kind = { category: 'security', effect: 'breach', reach: 'rare' } as const;
  // A line that the change touches, so that a finding on another one is about the change.
  const evidence = [{ path: 'src/auth.ts', line: 11, code: 'return user;' }];
  return { path: 'src/auth.ts', line: 10, ...words, ...kind, evidence, ...parts };
}

const SHOWN = 'it will be shown at line';
const SHORTEN = 'bytes; shorten it to at most 4096.';
const NO_LINES =
  "it will be listed in the review's text, because the diff has no lines of this file.";

describe('review comments', () => {
  it.each<[string, Partial<CommentRequest>, string]>([
    [
      'on a line of the diff',
      {},
      'it will be shown at line 10 of "src/auth.ts" (RIGHT), which reads "query(\\"SELECT \\" + user.id);".',
    ],
    [
      'on an unchanged line of the diff',
      { line: 14 },
      `${SHOWN} 14 of "src/auth.ts" (RIGHT), which reads "line 13;".`,
    ],
    ['on a file without lines', { path: 'logo.png' }, NO_LINES],
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
    [
      'with an endless suggestion',
      { suggestion: 'x'.repeat(4097) },
      `\`suggestion\` has 4097 ${SHORTEN}`,
    ],
  ])('are refused %s', (_, parts, told) => {
    const buffer = publications();
    const text = `Not accepted: ${told}`;
    expect(buffer.addComment(request(parts))).toEqual({ kind: 'refused', text });
    expect(buffer.buffered.findings).toEqual([]);
    expect(buffer.buffered.refusedFindings).toMatchObject([{ code: 'size' }]);
  });

  it('are accepted once for the same finding, with the later text', () => {
    const buffer = publications();
    buffer.addComment(request({ body: 'The id is in the query.' }));
    buffer.addComment(request({ line: 11 }));
    const answer = buffer.addComment(
      request({ body: 'The query has the id in it.', category: 'data' }),
    );
    expect(answer.text).toMatch(/^Comment 1 \(severity major\), in place of what it said before: /);
    const bodies = buffer.buffered.findings.map(({ finding }) => finding.body);
    expect(bodies).toEqual(['The query has the id in it.', 'Bind the id.']);
  });

  describe('under a similar title on one line', () => {
    const SIMILAR = request({ title: 'The id of the user reaches a query', body: 'Escape it.' });

    function raiseBoth(answer: (handle: string) => Partial<CommentRequest> | undefined) {
      const buffer = publications();
      buffer.addComment(request());
      const { text, kind } = buffer.addComment(SIMILAR);
      const [, handle = ''] =
        /^Not accepted: not yet\. (F\w{4}) was raised in this run at line 10: /.exec(text) ?? [];
      expect([kind, handle.length]).toEqual(['refused', 5]);
      const parts = answer(handle);
      if (parts !== undefined) buffer.addComment({ ...SIMILAR, ...parts });
      return buffer.buffered.findings.map(({ finding }) => finding.body);
    }

    it.each<[string, (handle: string) => Partial<CommentRequest> | undefined, readonly string[]]>([
      ['replace the first if the model names it', (sameAs) => ({ sameAs }), ['Escape it.']],
      ['are two if it says so', () => ({ isNew: true }), ['Bind the id.', 'Escape it.']],
      ['are two if it asks again', () => ({}), ['Bind the id.', 'Escape it.']],
      ['are two if it says nothing', () => undefined, ['Bind the id.', 'Escape it.']],
    ])('%s', (_, answer, bodies) => {
      expect(raiseBoth(answer)).toEqual(bodies);
    });
  });

  it('under different titles on one line are two', () => {
    const buffer = publications();
    buffer.addComment(request());
    buffer.addComment(request({ title: 'Nobody awaits the result' }));
    expect(buffer.buffered.findings).toHaveLength(2);
  });

  it('that mean one earlier finding in other words are asked about', () => {
    const buffer = publications({}, [known()]);
    const first = request({ title: 'Query built from a name' });
    const second = request({ title: 'The id is in the query twice' });
    expect(buffer.addComment(first).kind).toBe('taken');
    expect(buffer.addComment(first).kind).toBe('taken');
    expect(buffer.addComment(second).text).toMatch(/^Not accepted: not yet\. FQ7K2 is open /);
    // Unanswered, it is another one.
    expect(buffer.buffered).toMatchObject({
      repeated: [{ finding: { title: first.title } }],
      findings: [{ finding: { title: second.title } }],
    });
    expect(buffer.addComment({ ...second, sameAs: 'FQ7K2' }).kind).toBe('taken');
    expect(buffer.buffered).toMatchObject({ repeated: [{}], findings: [] });
  });

  it('that are another fault on the line answer no open question', () => {
    const buffer = publications({}, [known()]);
    const doubtful = request({ title: 'Timeout is counted in seconds' });
    const another = request({ title: 'Nobody awaits the result' });
    expect(buffer.addComment(doubtful).kind).toBe('refused');
    expect(buffer.addComment({ ...another, isNew: true }).kind).toBe('taken');
    const titles = buffer.buffered.findings.map(({ finding }) => finding.title);
    expect(titles).toEqual([another.title, doubtful.title]);
  });

  it('under one title on two lines answer a question each', () => {
    const buffer = publications({}, [known(), otherKnown()]);
    const first = request({ title: 'Timeout is counted in seconds' });
    const second = { ...first, line: 11 };
    for (const doubtful of [first, second])
      expect(buffer.addComment(doubtful).kind).toBe('refused');
    expect(buffer.addComment({ ...second, sameAs: 'FX3M9' }).kind).toBe('taken');
    const lines = buffer.buffered.findings.map(({ finding }) => finding.line);
    expect(lines).toEqual([10]);
  });

  it('and questions about earlier ones are not refusals, and each is put once', () => {
    const buffer = publications({}, [known()]);
    const unlike = request({ title: 'Timeout is counted in seconds', category: 'correctness' });
    expect(buffer.addComment(unlike).text).toMatch(
      /^Not accepted: not yet\. FQ7K2 is open at line 10: /,
    );
    // A question that stays open loses no finding.
    expect(buffer.buffered).toMatchObject({ findings: [{}], refusals: [] });
    expect(buffer.addComment({ ...unlike, sameAs: 'FZZZ9' }).kind).toBe('refused');
    expect(buffer.buffered.refusals).toEqual([]);
    expect(buffer.addComment(unlike).kind).toBe('taken');
    expect(buffer.buffered.findings).toHaveLength(1);
  });

  it('about which a question was answered are one, in whatever words the answer was given', () => {
    const buffer = publications({}, [known()]);
    const unlike = request({ title: 'Timeout is counted in seconds', category: 'correctness' });
    buffer.addComment(unlike);
    buffer.addComment({ ...unlike, body: 'The client waits for minutes.', sameAs: 'FQ7K2' });
    expect(buffer.buffered).toMatchObject({
      findings: [],
      repeated: [{ of: { handle: 'FQ7K2' } }],
    });
  });

  it('lose a suggestion that changes nothing', () => {
    const suggestion = { line: 2, path: 'win.ts', startLine: 1, suggestion: 'a();\r\nc();\r\n' };
    const buffer = publications();
    buffer.addComment(request(suggestion));
    buffer.addComment(
      request({ ...suggestion, title: 'Nobody awaits it', suggestion: 'a();\nd();' }),
    );
    const suggested = buffer.buffered.findings.map(({ finding }) => finding.suggestion);
    expect(suggested).toEqual([undefined, 'a();\nd();']);
  });

  it.each([
    ["log('⚠️', id);", "log('⚠', user.id);", false],
    ["wrap('AKIAIOSFODNN7EXAMPLE', id);", "wrapAll('***', id);", false],
    ["log('***', id);", "log('***', user.id);", false],
  ])('for %s offer to commit %s: %s', (code, suggestion, isExact) => {
    const lines = commentableLines(`--- /dev/null\n+++ b/f.ts\n@@ -0,0 +1,1 @@\n+${code}\n`);
    const buffer = publications({}, [], lines);
    buffer.addComment(request({ path: 'f.ts', line: 1, code, suggestion, evidence: [] }));
    expect(buffer.buffered.findings).toMatchObject([
      { finding: { suggestion }, placement: { isExact } },
    ]);
  });

  it('are listed if they are refused, until they are taken', () => {
    const buffer = publications({ maxFindings: 2 });
    for (const title of ['Leaking token', 'Missing index', 'Third cause', 'Other reason'])
      buffer.addComment(request({ title }));
    const place = { path: 'src/auth.ts', line: 10 };
    expect(buffer.buffered.findings).toHaveLength(2);
    const refused = ['Third cause', 'Other reason'].map((title) => {
      return { ...place, title, code: 'limit', least: undefined };
    });
    expect(buffer.buffered.refusedFindings).toEqual(refused);
    // One that is there takes no room.
    const again = request({ title: 'Leaking token', body: 'Bind it.' });
    expect(buffer.addComment(again).kind).toBe('taken');
    expect(buffer.buffered.refusedFindings).toEqual(refused);
    const wish = { title: 'Consider a cache', body: 'Consider a cache for this.' };
    const wishes = publications();
    wishes.addComment(request(wish));
    wishes.addComment(request({ ...wish, effect: 'upkeep' }));
    expect(wishes.buffered.refusedFindings).toMatchObject([{ title: wish.title }]);
    wishes.addComment(request({ ...wish, body: 'Each call reads the file again.' }));
    expect(wishes.buffered).toMatchObject({ findings: [{}], refusedFindings: [] });
  });
});

it('the submitted review is the text of the last call', () => {
  const buffer = publications();
  buffer.addComment(request());
  buffer.submitReview('First.');
  const { text } = buffer.submitReview(' Second. ');
  expect(text).toContain('is recorded, with 1 finding.');
  expect(buffer.buffered.review?.summary).toBe('Second.');
});

describe('the ends of earlier findings', () => {
  const WRONG = {
    finding: 'FQ7K2',
    how: 'wrong',
    reason: 'It is bound already.',
    evidence: [],
  } as const;

  it('are accepted, and refused if they are invalid', () => {
    const buffer = publications({}, [known()]);
    expect(buffer.settle(WRONG).kind).toBe('taken');
    expect(buffer.settle({ ...WRONG, finding: 'FX3M9' }).kind).toBe('refused');
    expect(buffer.buffered.settlements).toMatchObject([
      { finding: { handle: 'FQ7K2' }, how: 'wrong' },
    ]);
    expect(buffer.buffered.refusals).toEqual([
      { tool: 'settle_finding', code: 'not-open', detail: 'FX3M9', finding: undefined },
    ]);
  });

  it.each<[string, readonly KnownFinding[], boolean]>([
    ['there is none', [], false],
    ['one is open', [known()], true],
    [
      'all have ended',
      [known({ state: 'settled' }), otherKnown({ state: 'settled', why: 'left' })],
      false,
    ],
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
      text: 'Taken: "Bug", "area/docs". Not accepted: "evil". Labels that may be set: "bug", "area/*"; at most 5 a run.',
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
  it.each<[string, string | undefined]>([
    ['rocket', 'rocket'],
    [' EYES ', 'eyes'],
    ['tada', undefined],
  ])('react with %j as %j', (content, expected) => {
    const buffer = publications();
    expect(buffer.react(content).kind).toBe(expected === undefined ? 'refused' : 'taken');
    expect(buffer.buffered.reaction).toBe(expected);
  });

  it('open one issue, which can be changed', () => {
    const buffer = publications();
    expect(
      buffer.createIssue({ title: 'Leak\nin auth', body: 'a', labels: ['bug', 'x'] }).text,
    ).toBe(
      'The issue "Leak in auth" is recorded, with these labels: "bug". It is opened when the run ends.',
    );
    buffer.createIssue({ title: 'Leak in auth', body: 'b', labels: [] });
    expect(buffer.createIssue({ title: 'Another', body: 'c', labels: [] }).text).toContain(
      '1 issue',
    );
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
});
