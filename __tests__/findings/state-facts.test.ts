import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { STATE_REASON_TEXTS, type StateReason } from '../../src/findings/finding.js';
import {
  agentOfReviewer,
  type EndedMark,
  type FindingMark,
  findingMarksIn,
  findingMarksOf,
  isPaused,
  lastReviewed,
  markFacts,
  outcomesAndCostTable,
  parseReviewFacts,
  pruneState,
  pullRequestState,
  type ReviewFact,
  readFindingMark,
  readReviewMark,
  type SpentFact,
  spentUsd,
} from '../../src/findings/state-facts.js';
import { mergeStates, withFacts } from '../../src/memory/state.js';
import { formatMark, isOwnText } from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { back, ended, ID, marked, OTHER, raised } from './threads.js';

const AT = Date.parse('2026-11-22T10:00:00.123Z');
const HEAD = 'a'.repeat(40);

function spent(id: string, usd: number, parts: Partial<SpentFact> = {}): SpentFact {
  return { kind: 'spent', id, pull: 42, day: '2026-11-22', usd, at: AT, ...parts };
}

const ONLY = { paths: ['src/**', 'a b/*'], pathsIgnore: ['*.md'] };

const FACTS: readonly ReviewFact[] = [
  { kind: 'reviewed', pull: 42, head: HEAD, base: 'b'.repeat(40), at: AT },
  { kind: 'reviewed', pull: 43, head: HEAD, base: 'b', into: 'release 2', at: AT },
  { kind: 'reviewed', pull: 45, head: HEAD, base: 'b', unseen: ['src/b.ts', 'a file.ts'], at: AT },
  { kind: 'reviewed', pull: 46, head: HEAD, base: 'b', only: ONLY, at: AT },
  ...markFacts(
    [
      raised({ title: 'naïve "--> \n- {"kind":"spent"}"', path: 'src/a b.ts', thread: 'T_1' }),
      ended({ state: 'dismissed', by: 'person', why: 'thumbs-down', login: 'octocat' }),
      back(),
    ],
    42,
  ),
  { kind: 'posted', id: '123-1', pull: 42, ids: [7, 8], words: 'own', at: AT },
  spent('123-1', 0.1234),
  spent('124-1', 1, { pull: undefined }),
  { kind: 'paused', pull: 42, by: 'octocat', at: AT },
  { kind: 'resumed', pull: 42, by: 'hubot[bot]', at: AT },
];

describe('facts of the pull request bot', () => {
  it('are read back as written', () => {
    expect(parseReviewFacts(withFacts('', FACTS))).toEqual(FACTS);
  });

  it('have a line of their own for each kind of mark, finding and pull request', () => {
    const marks = [raised(), raised({ id: OTHER }), ended(), back()];
    const text = withFacts('', [
      ...markFacts(marks, 41),
      ...markFacts([ended({ why: 'wrong' })], 41),
    ]);
    expect(
      findingMarksIn(parseReviewFacts(withFacts(text, markFacts([raised()], 42)))),
    ).toHaveLength(5);
    expect(text).toContain(`\n- {"kind":"ended","id":"${ID}",`);
    expect(text).not.toContain('"why":"fixed"');
  });

  it('are read back whatever a path or a login contains', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constant('a\u2028b\u2029'),
    );
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom(...(Object.keys(STATE_REASON_TEXTS) as StateReason[])),
        (path, login, why) => {
          const facts = markFacts([raised({ path, title: login }), ended({ why, login })], 1);
          expect(parseReviewFacts(withFacts('', facts))).toEqual(facts);
        },
      ),
    );
  });

  it.each<[string, object]>([
    ['no time', { kind: 'paused', pull: 42, by: 'octocat' }],
    ['no number', { kind: 'paused', pull: 'x', by: 'octocat', at: AT }],
    ['an invalid number', { kind: 'reviewed', pull: 0, head: 'a', base: 'b', at: AT }],
    ['no head', { kind: 'reviewed', pull: 42, base: 'b', at: AT }],
    ['no pull request', ended()],
    ['an invalid mark', { kind: 'ended', id: ID, pull: 42, at: AT }],
    ['a negative amount', { ...spent('1-1', -5) }],
    ['an amount beyond reason', { ...spent('1-1', 1e9) }],
    ['an unknown kind', { kind: 'liked', pull: 42, at: AT }],
  ])('are left out if a line has %s', (_, fact) => {
    expect(parseReviewFacts(`- ${JSON.stringify(fact)}\n`)).toEqual([]);
  });
});

it('the stored cost of runs adds up over concurrent runs, in any merge order, each once', () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 8 });
  const order = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(amounts, order, (micros, picks) => {
      const base = withFacts('', [spent('0-1', 1)]);
      const states = micros.map((one, run) => withFacts(base, [spent(`${run + 1}-1`, one / 1e6)]));
      let merged = base;
      const left = [...states, ...states.slice(0, 2)];
      for (const pick of picks) {
        const [state = ''] = left.splice(pick % Math.max(1, left.length), 1);
        merged = pick % 2 === 0 ? mergeStates(merged, state) : mergeStates(state, merged);
      }
      const total = micros.reduce((sum, one) => sum + one, 1_000_000) / 1e6;
      const facts = parseReviewFacts(merged);
      expect(spentUsd(facts, { pull: 42 })).toBe(total);
      expect(spentUsd(facts, { day: '2026-11-22' })).toBe(total);
    }),
  );
});

const NOW = new Date('2026-11-22T10:00:00Z');

function daysAgo(days: number): number {
  return NOW.getTime() - days * 24 * 60 * 60 * 1000;
}

const line = (fact: object) => `- ${JSON.stringify(fact)}`;

describe('pruning a state', () => {
  it.each<[number, object]>([
    [180, { kind: 'spent', id: '1-1', pull: 1, day: '2026-01-01', usd: 1 }],
    [180, { ...ended(), pull: 1 }],
    [365, { kind: 'resumed', pull: 1, by: 'octocat' }],
  ])('drops after %i days: %j', (days, fact) => {
    const [young, old] = [days, days + 1].map((age) => line({ ...fact, at: daysAgo(age) }));
    expect(pruneState(`${young}\n${old}\n`, NOW)).toBe(`${young}\n`);
  });

  it('keeps every unknown line, byte for byte', () => {
    const at = daysAgo(999);
    const unknown = [
      { kind: 'forgotten', id: 'abc', at },
      { kind: 'spent', id: 'broken', at },
    ].map(line);
    const text = `# State\r\n\r\n${unknown.join('\r\n')}\r\n- spent broken\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it.each<[string, number, (n: number) => object]>([
    ['raised', 550, (n) => ({ ...raised(), pull: n + 1 })],
    ['ended', 600, (n) => ({ ...ended(), pull: n + 1 })],
    ['back', 250, (n) => ({ ...back(), pull: n + 1 })],
    ['posted', 900, (n) => ({ kind: 'posted', words: 'own', id: `${n}-1`, pull: 1, ids: [7] })],
    ['reviewed', 600, (n) => ({ kind: 'reviewed', pull: n + 1, head: 'a', base: 'b' })],
    ['spent', 1300, (n) => ({ kind: 'spent', id: `${n}-1`, pull: 1, day: '2026-11-22', usd: 1 })],
    ['paused', 200, (n) => ({ kind: 'paused', pull: n + 1, by: 'octocat' })],
  ])('keeps of %s at most the latest %i', (_, most, fact) => {
    const lines = Array.from({ length: most + 5 }, (__, n) =>
      line({ ...fact(n), at: daysAgo(n / 1000) }),
    );
    const others = `# State\n- forgotten abc\n${line({ kind: 'resumed', pull: 1, by: 'octocat', at: daysAgo(0) })}`;
    expect(pruneState([others, ...lines.toReversed()].join('\n'), NOW)).toBe(
      [others, ...lines.slice(0, most).toReversed()].join('\n'),
    );
  });

  it('leaves a state of the busiest repository that the cache can hold', () => {
    const path = 'packages/a-package-with-a-name/src/components/forms/login.tsx';
    const title = 'The session outlives the person who signed out in another tab';
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 2000 }, (_, n) => {
      const at = daysAgo(n / 1000);
      const id = n.toString(16).padStart(16, '0');
      const person = {
        by: 'person',
        why: 'thumbs-down',
        login: 'octocat',
        state: 'dismissed',
      } as const;
      const number = 1_234_567_890;
      const words = { id, at, path, severity: 'critical' } as const;
      const marks = [
        raised({ ...words, title, thread: 'PRRT_kwDOABCDEF4AbCdE', comment: number }),
        ended({ id, at, ...person }),
        back({ ...words, by: 'person', login: 'octocat' }),
      ];
      const of = { id: `01m8k2zq8w4v6x-${n}`, pull: n + 1, at };
      return [
        { kind: 'reviewed', pull: n + 1, head: sha, base: sha, into: 'main', at } as const,
        ...markFacts(marks, n + 1),
        { ...of, kind: 'spent', day: '2026-11-22', usd: 0.123456 } as const,
        { ...of, kind: 'posted', words: 'own', ids: [number, number + 1] } as const,
      ];
    }).flat();
    expect(pruneState(withFacts('', lines), NOW).length).toBeLessThan(768 * 1024);
  });
});

const LATER = AT + 1000;

describe('sums over the state', () => {
  const facts = [
    spent('1', 0.1, { pull: 1, day: '2026-11-21' }),
    spent('2', 0.2, { pull: 1 }),
    spent('3', 4, { pull: undefined }),
  ];

  it('give the cost of a pull request and of a day', () => {
    expect(spentUsd(facts, { pull: 1 })).toBe(0.3);
    expect(spentUsd(facts, { day: '2026-11-22' })).toBe(4.2);
    expect(spentUsd(facts, { pull: 9 })).toBe(0);
    expect(spentUsd([], { day: '2026-11-22' })).toBe(0);
  });

  it('give the last reviewed commit', () => {
    const reviewed: ReviewFact = { kind: 'reviewed', pull: 2, head: 'a', base: 'b', at: AT };
    expect(lastReviewed([...facts, reviewed], 2)).toBe(reviewed);
    expect(lastReviewed([...facts, reviewed], 1)).toBeUndefined();
  });

  const posted: ReviewFact = {
    kind: 'posted',
    id: '1-1',
    pull: 1,
    ids: [7],
    words: 'mixed',
    at: AT,
  };
  const REVIEWED = { kind: 'reviewed', head: 'a', base: 'b', at: AT } as const;
  const WITH_MARK = { marks: [raised()], posted: new Map([[7, 'mixed']]) };
  const PAUSED = { kind: 'paused', pull: 1, by: 'octocat', at: AT } as const;
  const RESUMED = { ...PAUSED, kind: 'resumed' } as const;

  it.each<[string, readonly ReviewFact[], object | undefined]>([
    ['nothing', [posted, ...markFacts([raised()], 3)], undefined],
    ['its marks, and what was written anywhere', [posted, ...markFacts([raised()], 2)], WITH_MARK],
    ['that it was reviewed', [{ ...REVIEWED, pull: 2 }], { marks: [], posted: new Map() }],
    [
      'that something was written',
      [{ ...posted, pull: 2 }],
      { marks: [], posted: new Map([[7, 'mixed']]) },
    ],
  ])('give what is kept of a pull request: %s', (_, given, expected) => {
    const memory = pullRequestState([...facts, ...given], 2);
    const marks = memory?.marks.map((mark) => ({ ...mark, pull: undefined }));
    expect(memory && { ...memory, marks }).toEqual(expected);
  });

  it.each<[string, readonly ReviewFact[], boolean]>([
    ['nobody said anything', [], false],
    ['somebody paused', [PAUSED], true],
    ['somebody paused another', [{ ...PAUSED, pull: 2 }], false],
    ['somebody resumed what was not paused', [RESUMED], false],
    ['somebody resumed later', [PAUSED, { ...RESUMED, at: LATER }], false],
    ['somebody paused again', [{ ...PAUSED, at: LATER }, RESUMED], true],
  ])('give whether a pull request is paused: %s', (_, given, expected) => {
    expect(isPaused(given, 1)).toBe(expected);
  });
});

const HOSTILE = { title: 'a="b" -->\n<!-- x -->', path: 'ü:日本 --> @a.ts' };
const ALL: readonly FindingMark[] = [
  raised(),
  raised({ confidence: 'unsure', closedBy: '', thread: 'T_1', comment: 7, ...HOSTILE }),
  ended(),
  ended({
    state: 'dismissed',
    by: 'person',
    why: 'words',
    login: 'octocat',
    code: '',
    closed: false,
  }),
  back(),
  back({ by: 'person', login: 'hubot', side: 'LEFT', closedBy: 'octocat' }),
];

describe('the marks of a text', () => {
  it('leave out one without a word of its run, and no other', () => {
    const mark = { ...raised(), words: undefined };
    expect(readFindingMark(mark)).toBeUndefined();
    const marks = [null, mark, raised()];
    const line = formatMark({ kind: 'finding', agent: 'bot', marks });
    expect(findingMarksOf(line)).toEqual([raised()]);
  });

  it('cannot come from a model (C8 98)', () => {
    const cleaned = sanitize(marked(ALL), 'comment', []);
    expect(isOwnText(cleaned)).toBe(false);
    expect(isOwnText(sanitize(`\`\`\`\n${marked(ALL)}\n\`\`\``, 'comment', []))).toBe(false);
    expect(cleaned).toMatch(/\nText\.$/);
  });
});

describe('the mark of a review', () => {
  it('names its agent and commit, with every mark of its run', () => {
    const parts = { agent: 'a --> b', head: '--', marks: ALL } as const;
    const text = `${formatMark({ kind: 'review', ...parts })}\n\nText`;
    expect(readReviewMark(text)).toEqual({ agent: 'a --> b', head: '--' });
    expect(findingMarksOf(text)).toEqual(ALL);
    expect(readReviewMark(`> ${text}`)).toBeUndefined();
    expect(readReviewMark(marked(ALL))).toBeUndefined();
  });

  it('after a mention is of the agent', () => {
    expect(agentOfReviewer('bot/reply-9')).toBe('bot');
  });
});

describe('what findings were worth', () => {
  const at = (day: string) => Date.parse(`${day}T10:00:00Z`);
  const cost = (day: string, usd: number, model: string) =>
    spent(`${day} ${model}`, usd, { day, model });
  /** A finding of a day by a model, and how it ended. */
  function finding(
    number: number,
    day: string,
    model: string,
    end?: Partial<EndedMark>,
  ): readonly ReviewFact[] {
    const of = { id: String(number).padStart(16, '0'), at: at(day) };
    const first = raised({ ...of, model, severity: number % 2 ? 'major' : 'minor' });
    return markFacts(
      end === undefined ? [first] : [first, ended({ ...of, at: of.at + 1000, ...end })],
      1,
    );
  }
  const FIXED = { state: 'settled', why: 'fixed' } as const;
  const LEFT = { ...FIXED, why: 'resolved', code: 'x' } as const;

  it('is a table by month and model', () => {
    const facts = [
      ...finding(1, '2026-11-03', 'claude-sonnet-5-5', FIXED),
      ...finding(3, '2026-11-04', 'claude-sonnet-5-5', FIXED),
      ...finding(4, '2026-11-04', 'claude-sonnet-5-5', {
        state: 'dismissed',
        by: 'person',
        why: 'command',
      }),
      ...finding(5, '2026-11-20', 'claude-sonnet-5-5'),
      ...finding(6, '2026-11-02', 'gpt-4.1'),
      ...finding(7, '2026-10-09', 'gpt-4.1', { state: 'settled', why: 'resolved', code: '' }),
      cost('2026-11-03', 0.5, 'claude-sonnet-5-5'),
      cost('2026-11-04', 0.34, 'claude-sonnet-5-5'),
      cost('2026-11-02', 0.2, 'gpt-4.1'),
      cost('2026-10-30', 0.1, 'o4-mini'),
    ];
    expect(outcomesAndCostTable(facts, NOW)).toBe(
      `Findings: acted on / dismissed / unanswered, and what all runs of the model cost in the month:

| Month | Model | critical | major | minor | nit | Cost | Cost of each acted on |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 2026-11 | gpt-4.1 |  |  | 0 / 0 / 1 |  | $0.20 |  |
| 2026-11 | claude-sonnet-5-5 |  | 2 / 0 / 0 | 0 / 1 / 0 |  | $0.84 | $0.42 |
| 2026-10 | o4-mini |  |  |  |  | $0.10 |  |
| 2026-10 | gpt-4.1 |  | 1 / 0 / 0 |  |  |  |  |`,
    );
  });

  it('has no cost of a month of which some may be gone', () => {
    const many = Array.from({ length: 1300 }, (_, n) =>
      spent(`${n}`, 0.01, {
        day: n < 9 ? '2026-10-31' : '2026-11-01',
        model: n === 0 ? 'gone' : 'm',
      }),
    );
    const facts = [
      ...finding(1, '2026-10-31', 'm', FIXED),
      ...finding(3, '2026-11-01', 'm', FIXED),
      ...many,
    ];
    const [november = '', october = ''] = outcomesAndCostTable(facts, NOW).split('\n').slice(-2);
    expect([november.match(/\$[\d.]+/g), october.match(/\$[\d.]+/g)]).toEqual([
      ['$12.91', '$12.91'],
      null,
    ]);
  });

  it.each([
    ['nothing was raised', [cost('2026-11-03', 1, 'm')]],
    ['the story of a finding goes on', finding(5, '2026-11-20', 'm')],
    ['a conversation was resolved with its line as it was', finding(5, '2026-11-01', 'm', LEFT)],
  ])('is nothing where %s', (_, facts) => {
    expect(outcomesAndCostTable(facts, NOW)).toBe('');
  });
});
