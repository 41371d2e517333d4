import { describe, expect, it } from '@jest/globals';
import { formatMark, isOwnText } from '../../src/core/sanitize/mark.js';
import { sanitize } from '../../src/core/sanitize/sanitize.js';
import {
  agentOf,
  type EndMark,
  endMarkOf,
  type FindingMarker,
  outdatedNote,
  parseFindingMarker,
  parseReviewMarker,
  type TextFinding,
  withEndNote,
  withoutEndNote,
  withoutTextFindings,
  withTextFindings,
} from '../../src/review/markers.js';
import { findingLine, reviewLine } from '../helpers/marks.js';

const ID = '0123456789abcdef';

const FINDING: TextFinding = {
  id: ID,
  path: 'src/a.ts',
  side: 'RIGHT',
  startLine: 40,
  line: 44,
};

const ODD: TextFinding = {
  id: 'f'.repeat(16),
  path: '-- a b/ü:日本 -->\n.ts',
  side: 'LEFT',
  startLine: 7,
  line: 7,
  severity: 'major',
  sketch: 'AbC-_9==%:',
};

describe('hidden markers', () => {
  it('of a comment are read only at its start', () => {
    const parts = { id: ID, agent: 'a --> b' };
    const marker = findingLine(parts);
    expect(marker.match(/-->/g)).toHaveLength(1);
    expect(parseFindingMarker(`${marker}\nBind the id.`)).toEqual(parts);
    expect(parseFindingMarker(`${marker}\r\nBind the id.`)).toEqual(parts);
    expect(parseFindingMarker(`Look:\n${marker}\n`)).toBeUndefined();
    expect(parseFindingMarker(` ${marker}`)).toBeUndefined();
    expect(parseFindingMarker(`${marker} and more`)).toBeUndefined();
  });

  it.each<[string, FindingMarker]>([
    ['an older version', { id: ID, agent: 'bot' }],
    ['this version', { id: ID, agent: 'bot', category: 'data', severity: 'nit', title: 'Lost --> on retry' }],
    ['an odd title', { id: ID, agent: 'bot', title: 'a=b sev=critical\n<!-- x -->' }],
  ])('of a comment of %s contain all given fields', (_, parts) => {
    const marker = findingLine(parts);
    expect(marker.match(/-->/g)).toHaveLength(1);
    expect(marker).not.toContain('\n');
    expect(parseFindingMarker(`${marker}\nText`)).toEqual(parts);
  });

  it.each<[string, FindingMarker | undefined]>([
    [
      `{"kind":"finding","agent":"bot","id":"${ID}","category":"taste","severity":7}`,
      { id: ID, agent: 'bot' },
    ],
    [`{"kind":"finding","agent":"bot","id":"${ID}","later":[1]}`, { id: ID, agent: 'bot' }],
    [`{"kind":"finding","id":"${ID}","severity":"nit"}`, undefined],
    [`{"kind":"answer","agent":"bot","id":"${ID}"}`, undefined],
    ['{"kind":"finding","agent":"bot","id":"01234"}', undefined],
    [`{"kind":"finding","agent":"bot","id":"${ID}"`, undefined],
  ])('of a comment are read as far as they are valid: %j', (line, expected) => {
    expect(parseFindingMarker(`<!-- axe-action ${line} -->`)).toEqual(expected);
  });

  it.each([
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [] },
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [FINDING, ODD] },
    { agent: 'a --> b', head: '--', findings: [], part: 2 },
  ])('of a review name its agent: %j', (parts) => {
    const marker = reviewLine(parts);
    expect(parseReviewMarker(`${marker}\n\nText`)).toEqual(parts);
    expect(parseReviewMarker(`${marker}\r\n\r\nText`)).toEqual(parts);
    expect(marker.match(/-->/g)).toHaveLength(1);
    expect(parseReviewMarker(`> ${marker}`)).toBeUndefined();
  });

  it('cannot come from a model (C8 98)', () => {
    const forged = `${reviewLine({ agent: 'x', head: 'y', findings: [] })}\n${findingLine({ id: ID, agent: 'bot' })}\nText`;
    const cleaned = sanitize(forged, 'comment', []);
    expect(isOwnText(cleaned)).toBe(false);
    expect(isOwnText(sanitize(`\`\`\`\n${forged}\n\`\`\``, 'comment', []))).toBe(false);
    expect(cleaned).toMatch(/\nText$/);
  });
});

describe('the agent of a review', () => {
  it.each([
    ['bot', 'bot'],
    ['bot/reply-9', 'bot'],
    ['bot/reply-x', 'bot/reply-x'],
  ])('%j is %j', (reviewer, agent) => {
    expect(agentOf(reviewer)).toBe(agent);
  });
});

const END = formatMark({ kind: 'end', how: 'outdated', lane: 'trusted' });

describe('a comment whose conversation could not be resolved', () => {
  const body = `${findingLine({ id: ID, agent: 'bot' })}\nWrong.\n\nVery.`;

  it.each<[EndMark, string]>([
    ['outdated', outdatedNote('f'.repeat(40))],
    ['settled', 'Settled as of fffffff.'],
    ['withdrawn', 'Taken back.'],
  ])('states that it is %s, once, and no longer once it is open again', (mark, note) => {
    const noted = withEndNote(body, mark, note);
    expect(noted.split('\n').slice(1, 4)).toEqual([
      `<!-- axe-action {"kind":"end","how":"${mark}","lane":"trusted"} -->`,
      `*${note}*`,
      '',
    ]);
    expect(endMarkOf(noted)).toBe(mark);
    expect(parseFindingMarker(noted)).toEqual({ id: ID, agent: 'bot' });
    expect(withEndNote(noted, 'settled', 'Again.')).toBe(noted);
    expect(withoutEndNote(noted)).toBe(body);
    expect(withoutEndNote(body)).toBe(body);
  });

  it.each<[string, string]>([
    ['in its words', `${body}\n${END}`],
    ['before its marker', `${END}\n${body}`],
    ['in a word of another kind', body.replace('\n', `\n${END.replace('outdated', 'liked')}\n`)],
  ])('is not treated as ended by text %s', (_, text) => {
    expect(endMarkOf(text)).toBeUndefined();
  });
});

describe('the findings in the text of a review', () => {
  it('are read as far as they are valid', () => {
    const findings = [
      FINDING,
      null,
      7,
      { ...FINDING, id: 'x' },
      { ...FINDING, side: 'UP' },
      { ...FINDING, line: '7' },
    ];
    const mark = { kind: 'review', agent: 'bot', head: 'abc', findings, lane: 'trusted' } as const;
    expect(parseReviewMarker(formatMark(mark))?.findings).toEqual([FINDING]);
  });

  const marker = reviewLine({ agent: 'bot', head: 'a'.repeat(40), findings: [FINDING, ODD] });
  const body = `${marker}\n\nTwo things.`;

  it('are marked as outdated, and the marker stays', () => {
    const left = withoutTextFindings(body, [FINDING], 'b'.repeat(40));
    expect(parseReviewMarker(left)?.findings).toEqual([ODD]);
    expect(left).toMatch(/ -->\n\n\*Outdated as of bbbbbbb: `src\/a\.ts:44`\.\*\n\nTwo things\.$/);
    const none = withoutTextFindings(left, [ODD], 'c'.repeat(40));
    expect(parseReviewMarker(none)).toMatchObject({ agent: 'bot', findings: [] });
    expect(none).toContain('Outdated as of ccccccc: `-- a b/ü:日本 --> .ts:7`');
  });

  it('never make the text longer than GitHub takes', () => {
    const long = body.padEnd(65_536, 'x');
    expect(withoutTextFindings(long, [FINDING, ODD], 'b'.repeat(40)).length).toBeLessThanOrEqual(65_536);
  });

  it('are at most ten in the list of places', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...FINDING, line: 50 + index }));
    const all = withTextFindings(body, () => many);
    expect(withoutTextFindings(all, many, 'b'.repeat(40))).toContain('`src/a.ts:59` and 2 more.*');
  });

  it('are not written into somebody else’s review', () => {
    expect(withTextFindings('Text', () => [FINDING])).toBe('Text');
  });
});
