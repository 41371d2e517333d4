import { describe, expect, it } from '@jest/globals';
import { readDiffLines } from '../../src/review/diff-lines.js';
import type { KnownFinding } from '../../src/review/known.js';
import { DEFAULT_PUBLISH_RULES } from '../../src/review/publish-rules.js';
import {
  type CommentRequest,
  type FindingScope,
  type TakenSoFar,
  takeFinding,
} from '../../src/review/take-finding.js';
import { LINES, scopeRest } from './change.js';
import { known, OTHER } from './threads.js';

const NOTHING: TakenSoFar = { findings: [], repeated: [], heldBack: [], questioned: new Set(), gates: {} };

const TEXT = '--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1 @@\n+text\n';
const CODE = 'query("SELECT " + user.id);';

/** The finding of `known()` in other words, on the same line. */
const AGAIN: CommentRequest = {
  path: 'src/auth.ts',
  line: 10,
  title: 'User id reaches the SQL query unescaped',
  body: 'The id is put into the query as it is; bind it.',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
};

/** Another fault on that line: words alone do not decide. */
const UNLIKE: CommentRequest = {
  ...AGAIN,
  title: 'Timeout is counted in seconds',
  body: 'The retry waits a thousand times too long.',
};

function take(
  request: Partial<CommentRequest>,
  earlier: readonly KnownFinding[] = [],
  { before = NOTHING, ...scope }: Partial<FindingScope> & { readonly before?: TakenSoFar } = {},
) {
  return takeFinding({ ...AGAIN, ...request }, before, {
    lines: LINES,
    rules: DEFAULT_PUBLISH_RULES,
    known: earlier,
    ...scopeRest(),
    ...scope,
  });
}

/** What became of a finding, in one word. */
function fate({ answer, findings, repeated, heldBack }: ReturnType<typeof take>): string {
  if (answer.kind === 'refused') return 'asked';
  if (findings.length > 0) return 'new';
  return repeated.length > 0 ? 'repeated' : heldBack.length > 0 ? 'held back' : 'lost';
}

describe('a finding that the pull request might have already', () => {
  it.each<[string, Partial<CommentRequest>, Partial<KnownFinding>, string]>([
    ['is not posted again in other words', {}, {}, 'repeated'],
    ['is not posted again if another agent’s is open', {}, { isOwn: false, agent: 'bot-2' }, 'repeated'],
    ['comes back if it was settled', {}, { state: 'settled' }, 'repeated'],
    ['comes back if its line had gone', {}, { state: 'outdated' }, 'repeated'],
    ['comes back if it was taken back', {}, { state: 'withdrawn' }, 'repeated'],
    ['is held back if people dismissed it', {}, { state: 'dismissed' }, 'held back'],
    [
      'is held back if people dismissed another agent’s',
      {},
      { state: 'dismissed', isOwn: false },
      'held back',
    ],
    ['is posted if another agent’s has ended', {}, { state: 'settled', isOwn: false }, 'new'],
    ['causes a question if words do not decide', UNLIKE, {}, 'asked'],
    ['is another one if the model says so at once', { ...UNLIKE, isNew: true }, {}, 'new'],
    ['is the same if words decide, whatever the model says', { isNew: true }, {}, 'repeated'],
    ['is the one that the model names', { ...UNLIKE, sameAs: ' f1 ' }, {}, 'repeated'],
    [
      'is held back if the model names a dismissed one',
      { ...UNLIKE, sameAs: 'F1' },
      { state: 'dismissed' },
      'held back',
    ],
    [
      'is posted if the model names another agent’s that has ended',
      { sameAs: 'F1' },
      { state: 'settled', isOwn: false },
      'new',
    ],
    ['is another one elsewhere', { ...UNLIKE, line: 11 }, {}, 'new'],
  ])('%s', (_, request, parts, expected) => {
    expect(fate(take(request, [known(parts)]))).toBe(expected);
  });

  it('is answered with what was done', () => {
    expect(take({}, [known()]).answer.text).toBe('F1 is open already, so it is not posted again.');
    expect(take({}, [known({ state: 'outdated' })]).answer.text).toBe(
      'F1 had ended (outdated) and is open again. Nothing is posted before the run ends.',
    );
    expect(take({}, [known({ state: 'dismissed' })]).answer.text).toBe(
      'Held back: people with write access have dismissed F1 on this pull request. It is not posted again.',
    );
  });

  it.each<[string, Partial<CommentRequest>, Partial<KnownFinding>, string]>([
    ['on its line', {}, {}, 'F1 is open at line 10'],
    ['that has ended', {}, { state: 'settled' }, 'F1 was settled at line 10'],
    ['whose line has moved', {}, { line: undefined }, 'F1 is open in "src/auth.ts"'],
  ])('causes a question with the name of the one %s', (_, request, parts, place) => {
    expect(take({ ...UNLIKE, ...request }, [known(parts)]).answer.text).toBe(
      `Not taken: not yet. ${place}: “The query is built from the id”. If yours is the same, call again with \`same_as: "F1"\`; if it is another one, with \`new: true\`.`,
    );
  });

  it('causes a question without the title of one that strangers may have worded', () => {
    const { text } = take(UNLIKE, [known({ isShowable: false, severity: 'major', category: 'data' })]).answer;
    expect(text).toMatch(/F1 is open at line 10: major data\. If/);
  });

  it('causes one question, and is then accepted as a different one', () => {
    const asked = take(UNLIKE, [known()]);
    expect([...asked.questioned]).toEqual(['F1']);
    expect(fate(take(UNLIKE, [known()], { before: asked }))).toBe('new');
  });

  it('causes one question for each earlier finding', () => {
    const other = known({ id: OTHER, handle: 'F2', line: 11, code: 'return user;' });
    const asked = take(UNLIKE, [known(), other]);
    const second = take({ ...UNLIKE, line: 11, isNew: false }, [known(), other], { before: asked });
    expect([...second.questioned]).toEqual(['F1', 'F2']);
  });

  it('is repeated once, with the latest text', () => {
    const once = take({}, [known()]);
    const twice = take({ body: 'The id is put into the query as it is.' }, [known()], { before: once });
    expect(twice.repeated).toMatchObject([
      { of: { handle: 'F1' }, finding: { body: 'The id is put into the query as it is.' } },
    ]);
  });

  it.each<[string, readonly KnownFinding[], string]>([
    ['there are none', [], 'there are none'],
    ['it has another name', [known(), known({ id: OTHER, handle: 'F2' })], 'these are F1, F2'],
  ])('is refused if it names none of them: %s', (_, earlier, told) => {
    expect(take({ sameAs: 'F9' }, earlier).answer).toEqual({
      kind: 'refused',
      text: `Not taken: \`same_as\` names no earlier finding of this pull request; ${told}.`,
    });
  });
});

describe('an accepted finding', () => {
  it('has all fields of the model, and the derived ones', () => {
    const evidence = Array.from({ length: 6 }, () => ({ path: 'src/auth.ts', line: 10, code: CODE }));
    const { findings } = take({
      title: ' Two\nlines ',
      trigger: ` an id\nwith a quote${'!'.repeat(400)}`,
      evidence,
      sure: false,
      code: CODE,
      suggestion: 'bind(user.id);',
    });
    expect(findings).toMatchObject([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        finding: {
          title: 'Two lines',
          trigger: expect.stringMatching(/^an id with a quote!+…$/),
          severity: 'major',
          confidence: 'unsure',
          evidence: evidence.slice(0, 5),
          code: CODE,
          suggestion: 'bind(user.id);',
        },
      },
    ]);
    expect(Array.from(findings[0]?.finding.trigger ?? '')).toHaveLength(300);
    expect(take({ trigger: ' ' }).findings[0]?.finding).not.toHaveProperty('trigger');
    expect(take({}).findings[0]?.finding.confidence).toBe('likely');
  });

  it.each<[string, Partial<CommentRequest>, Partial<FindingScope>, string]>([
    ['effect and reach', { effect: 'outage', reach: 'always' }, {}, 'critical'],
    ['its file, which nobody reads', {}, { isRead: () => false }, 'minor'],
    ['its file, which is a text', { path: 'docs/a.md', line: 1 }, { lines: readDiffLines(TEXT) }, 'minor'],
    ['the agent’s own rule for the category', {}, { overrides: { security: 'minor' } }, 'minor'],
  ])('has a severity that follows from %s', (_, request, scope, severity) => {
    const { findings, answer } = take(request, [], scope);
    expect(findings[0]?.finding.severity).toBe(severity);
    expect(answer.text).toContain(`(severity ${severity})`);
  });

  it('keeps its id when it is repeated, and no two share one', () => {
    const first = take({});
    const again = take({ body: 'Bind the id, which is put into the query.' }, [], { before: first });
    expect(again.findings.map(({ id }) => id)).toEqual(first.findings.map(({ id }) => id));
    const dismissed = known({ state: 'dismissed', line: 11, code: 'return user;' });
    const request = { line: 11, title: dismissed.title, body: 'The id reaches the query unescaped.' };
    const held = take({ ...request, sameAs: 'F1' }, [dismissed], { before: first });
    const twice = take({ ...request, sameAs: 'F1' }, [dismissed], { before: held });
    const last = take({ ...UNLIKE, path: 'fresh.ts', line: 2 }, [dismissed], { before: twice });
    const ids = [...last.findings, ...last.heldBack].map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it.each<[string, Partial<CommentRequest>, string]>([
    ['without a title', { title: ' \n' }, '`title` is empty'],
    [
      'with a wall for a title',
      { title: 'x'.repeat(241) },
      '`title` has 241 bytes, at most 240 are taken: shorten it',
    ],
    ['without words', { body: '' }, '`body` is empty'],
  ])('is not created %s', (_, request, why) => {
    expect(take(request)).toMatchObject({
      findings: [],
      answer: { kind: 'refused', text: `Not taken: ${why}.` },
    });
  });
});
