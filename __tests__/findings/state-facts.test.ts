import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { STATE_REASON_TEXTS, type StateReason } from '../../src/findings/finding.js';
import {
  copyOfRecord,
  type KeptFinding,
  readCopy,
  recordOfPull,
  saidRevsIn,
} from '../../src/findings/kept-finding.js';
import {
  agentOfReviewer,
  isPaused,
  lastReviewed,
  outcomesAndCostTable,
  parseReviewFacts,
  pruneState,
  type ReviewFact,
  readReviewMark,
  type SpentFact,
  spentUsd,
} from '../../src/findings/state-facts.js';
import { utf8Bytes } from '../../src/lib/text/bytes.js';
import { hasNewerLines, mergeStates, withFacts } from '../../src/memory/state.js';
import { formatMark, isOwnText } from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { dismissed, kept, reviewLine } from '../helpers/marks.js';
import { ID, marked, OTHER } from './threads.js';

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
  kept({ title: 'naïve "--> \n- {"kind":"spent"}"', path: 'src/a b.ts', thread: 'T_1' }),
  dismissed({ id: OTHER, why: 'thumbs-down', login: 'octocat' }),
  { kind: 'heard', pull: 42, at: AT, ids: [7, 9], review: 7 },
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

  it('have a line for each finding, which its newest takes the place of', () => {
    const text = withFacts('', [kept(), kept({ id: OTHER }), dismissed()]);
    expect(parseReviewFacts(text)).toEqual([dismissed(), kept({ id: OTHER })]);
    expect(text).toContain(`\n- {"kind":"finding","v":1,"id":"${ID}",`);
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
          const facts = [kept({ path, title: login }), dismissed({ id: OTHER, why, login })];
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
    ['no pull request', { ...kept(), pull: undefined }],
    ['half a finding', { kind: 'finding', id: ID, pull: 42, at: AT }],
    ['a newer version', { ...kept(), v: 2 }],
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
    [180, dismissed()],
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
      { ...kept({ at }), v: 2 },
    ].map(line);
    const text = `# State\r\n\r\n${unknown.join('\r\n')}\r\n- spent broken\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
    expect([text, text.replace('"v":2', '"v":1')].map(hasNewerLines)).toEqual([true, false]);
    expect(withFacts(text, [kept({ at: AT })])).toContain(text);
  });

  it.each<[string, number, (n: number) => object]>([
    ['finding', 600, (n) => kept({ pull: n + 1, title: '' })],
    ['heard', 300, (n) => ({ kind: 'heard', pull: n + 1, ids: [], review: 0 })],
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
    const words = { path, title, body: 'b'.repeat(1000), suggestion: 's'.repeat(1000) };
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 2000 }, (_, n) => {
      const at = daysAgo(n / 1000);
      const id = n.toString(16).padStart(16, '0');
      const of = { id: `01m8k2zq8w4v6x-${n}`, pull: n + 1, at };
      const isEnded = n % 2 === 0;
      return [
        { kind: 'reviewed', pull: n + 1, head: sha, base: sha, into: 'main', at } as const,
        isEnded ? dismissed({ id, at, path, title, pull: n + 1 }) : kept({ id, at, ...words }),
        { ...of, kind: 'spent', day: '2026-11-22', usd: 0.123456 } as const,
        { ...of, kind: 'posted', words: 'own', ids: [1_234_567_890, 1_234_567_891] } as const,
      ];
    }).flat();
    const pruned = pruneState(withFacts('', lines), NOW);
    expect(utf8Bytes(pruned)).toBeLessThanOrEqual(300_000);
    const findings = parseReviewFacts(pruned).filter((fact) => fact.kind === 'finding');
    // What is left out is never taken for ended, so the open findings stay.
    expect(findings.filter(({ state }) => state === 'open')).toHaveLength(600);
    expect(pruned).not.toContain('"suggestion"');
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

  const REVIEWED = { kind: 'reviewed', head: 'a', base: 'b', at: AT } as const;
  const HEARD: ReviewFact = { kind: 'heard', pull: 2, at: AT, ids: [7], review: 5 };
  const FOUND = kept({ pull: 2 });
  const PAUSED = { kind: 'paused', pull: 1, by: 'octocat', at: AT } as const;
  const RESUMED = { ...PAUSED, kind: 'resumed' } as const;

  it.each<[string, readonly ReviewFact[], object | undefined]>([
    ['nothing', [kept({ pull: 3 })], undefined],
    ['its findings', [FOUND], { findings: [FOUND], heard: [], review: 0 }],
    ['what was heard', [HEARD], { findings: [], heard: [7], review: 5 }],
    ['that it was reviewed', [{ ...REVIEWED, pull: 2 }], { findings: [], heard: [], review: 0 }],
  ])('give the record of a pull request: %s', (_, given, expected) => {
    expect(recordOfPull([...facts, ...given], 2)).toEqual(expected);
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

describe('the hidden line of a text', () => {
  it('says findings by their id and `rev`', () => {
    expect(saidRevsIn(marked(3))).toEqual([{ id: ID, rev: 3 }]);
    const says = [`${ID}.2`, `${OTHER}.1`, 'x.1', `${ID}.x`, 7];
    const answer = formatMark({ kind: 'answer', agent: 'bot', says });
    expect(saidRevsIn(answer)).toEqual([
      { id: ID, rev: 2 },
      { id: OTHER, rev: 1 },
    ]);
    const claim = formatMark({ kind: 'claim', agent: 'bot', id: ID, rev: 1 });
    expect(saidRevsIn(claim)).toEqual([]);
  });

  it('cannot come from a model (C8 98)', () => {
    const cleaned = sanitize(marked(), 'comment', []);
    expect(isOwnText(cleaned)).toBe(false);
    expect(isOwnText(sanitize(`\`\`\`\n${marked()}\n\`\`\``, 'comment', []))).toBe(false);
    expect(cleaned).toMatch(/\nText\.$/);
  });
});

describe('the copy of a record in a review', () => {
  it('is read back as it was, behind agent and commit', () => {
    const findings = [kept(HOSTILE), dismissed({ id: OTHER })];
    const text = `${reviewLine({ agent: 'a --> b', head: '--' }, ...findings)}\n\nText`;
    expect(readReviewMark(text)).toEqual({ agent: 'a --> b', head: '--' });
    expect(readCopy(text)?.findings).toEqual(findings);
    expect(readReviewMark(`> ${text}`)).toBeUndefined();
    expect(readReviewMark(marked())).toBeUndefined();
  });

  it('has at most 100 findings and 30,000 characters, and every open one', () => {
    const findings = Array.from({ length: 150 }, (_, n) => {
      const id = n.toString(16).padStart(16, '0');
      const words = { id, title: 't'.repeat(240), body: 'b'.repeat(1000) };
      return n < 70 ? kept({ ...words, suggestion: 's' }) : dismissed(words);
    });
    const record = copyOfRecord({ findings, heard: [], review: 0 });
    expect(record.findings.map(({ id }) => id)).toEqual(findings.slice(0, 70).map(({ id }) => id));
    expect(JSON.stringify(record).length).toBeLessThanOrEqual(30_000);
  });

  it.each([
    ['says that it is cut if an open finding has no room', 100, true],
    ['says so of no ended one', 40, undefined],
  ])('%s', (_, open, isCut) => {
    const findings = Array.from({ length: 100 }, (_each, n) => {
      const parts = { id: n.toString(16).padStart(16, '0'), path: `src/${'p'.repeat(100)}.ts` };
      return n < open ? kept(parts) : dismissed(parts);
    });
    const record = copyOfRecord({ findings, heard: [], review: 0 });
    expect([record.findings.length < 100, record.isCut]).toEqual([true, isCut]);
    const text = reviewLine({ agent: 'bot', head: 'a' }, ...findings);
    expect(readCopy(text)?.isCut).toBe(isCut);
  });

  it.each([
    ['with all words', 'n', 'y', ['y'.repeat(160)]],
    ['without reasons that do not fit', 'n', '<', ['']],
    ['not at all without room', '<', '<', undefined],
  ])('has the answers on rules %s', (_, letter, reason, reasons) => {
    const name = letter.repeat(80);
    const rule = { name, text: 'a'.repeat(16) };
    const answer = { ...rule, answer: 'fail', quote: 'a'.repeat(16), level: 'error' } as const;
    const word = { ...rule, login: 'octocat', why: reason.repeat(160), comment: 1 };
    const [said, over] = [Array(20).fill(answer), Array(20).fill(word)];
    const checks = { head: 'a'.repeat(40), said, over };
    const record = copyOfRecord({ findings: [kept()], heard: [], review: 0, checks });
    expect(record.checks?.over.slice(0, 1).map(({ why }) => why)).toEqual(reasons);
    const mark = formatMark({ kind: 'review', agent: 'a', head: 'a', part: 1, says: [], record });
    expect(mark.length).toBeLessThanOrEqual(30_500);
    expect(record.findings).toHaveLength(1);
    expect(recordOfPull([{ kind: 'checks', pull: 1, ...checks }], 1)?.checks).toBeDefined();
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
    end?: Partial<KeptFinding>,
  ): readonly ReviewFact[] {
    const id = String(number).padStart(16, '0');
    const severity = number % 2 ? 'major' : 'minor';
    return [kept({ id, pull: 1, raised: at(day), at: at(day), model, severity, ...end })];
  }
  const FIXED = { state: 'settled', why: 'fixed' } as const;
  const LEFT = { ...FIXED, why: 'resolved' } as const;

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
      ...finding(7, '2026-10-09', 'gpt-4.1', { state: 'settled', why: 'resolved', gone: true }),
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
