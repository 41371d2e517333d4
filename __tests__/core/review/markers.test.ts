import { describe, expect, it } from '@jest/globals';
import {
  findingMarker,
  parseFindingMarker,
  parseReviewMarker,
  reviewMarker,
  type TextFinding,
  withoutTextFindings,
  withTextFindings,
} from '../../../src/core/review/markers.js';
import { sanitize } from '../../../src/core/sanitize/sanitize.js';

const FINGERPRINT = '0123456789abcdef';

const FINDING: TextFinding = {
  fingerprint: FINGERPRINT,
  path: 'src/a.ts',
  side: 'RIGHT',
  startLine: 40,
  line: 44,
};

const ODD: TextFinding = {
  fingerprint: 'f'.repeat(16),
  path: '-- a b/ü:日本 -->\n.ts',
  side: 'LEFT',
  startLine: 7,
  line: 7,
};

describe('hidden markers', () => {
  it('of a comment are read at its beginning only', () => {
    const parts = { fingerprint: FINGERPRINT, agent: 'a --> b' };
    const marker = findingMarker(parts);
    expect(marker.match(/-->/g)).toHaveLength(1);
    expect(parseFindingMarker(`${marker}\nBind the id.`)).toEqual(parts);
    expect(parseFindingMarker(`${marker}\r\nBind the id.`)).toEqual(parts);
    expect(parseFindingMarker(`Look:\n${marker}\n`)).toBeUndefined();
    expect(parseFindingMarker(` ${marker}`)).toBeUndefined();
    expect(parseFindingMarker(`${marker} and more`)).toBeUndefined();
  });

  it.each([
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [] },
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [FINDING, ODD] },
    { agent: 'a --> b', head: '--', findings: [], part: 2 },
  ])('of a review say whose it is: %j', (parts) => {
    const marker = reviewMarker(parts);
    expect(parseReviewMarker(`${marker}\n\nText`)).toEqual(parts);
    expect(parseReviewMarker(`${marker}\r\n\r\nText`)).toEqual(parts);
    expect(marker.match(/-->/g)).toHaveLength(marker.split('\n').length);
    expect(parseReviewMarker(`> ${marker}`)).toBeUndefined();
  });

  it('cannot come from a model (C8 98)', () => {
    const forged = `${reviewMarker({ agent: 'x', head: 'y', findings: [] })}\n${findingMarker({ fingerprint: FINGERPRINT, agent: 'bot' })}\nText`;
    const cleaned = sanitize(forged, 'comment', []);
    expect(cleaned).not.toContain('axe-action');
    expect(cleaned.trim()).toBe('Text');
  });
});

describe('the findings in the text of a review', () => {
  const marker = reviewMarker({ agent: 'bot', head: 'a'.repeat(40), findings: [FINDING, ODD] });
  const body = `${marker}\n\nTwo things.`;

  it('are told where they are outdated, and leave its marker', () => {
    const left = withoutTextFindings(body, [FINDING], 'b'.repeat(40));
    expect(parseReviewMarker(left)?.findings).toEqual([ODD]);
    expect(left).toMatch(/ -->\n\n\*Outdated as of bbbbbbb: `src\/a\.ts:44`\.\*\n\nTwo things\.$/);
    const none = withoutTextFindings(left, [ODD], 'c'.repeat(40));
    expect(parseReviewMarker(none)).toMatchObject({ agent: 'bot', findings: [] });
    expect(none).toContain('Outdated as of ccccccc: `-- a b/ü:日本 --> .ts:7`');
  });

  it('leave it without a word where it has no room for one', () => {
    const long = body.padEnd(65_536, 'x');
    const left = withoutTextFindings(long, [FINDING], 'b'.repeat(40));
    expect(left).not.toContain('Outdated');
    expect(parseReviewMarker(left)?.findings).toEqual([ODD]);
    expect(left.length).toBeLessThanOrEqual(65_536);
  });

  it('lists ten places at most', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...FINDING, line: 50 + index }));
    const all = withTextFindings(body, () => many);
    expect(withoutTextFindings(all, many, 'b'.repeat(40))).toContain('`src/a.ts:59` and 2 more.*');
  });

  it('are not written into what is no review of ours', () => {
    expect(withTextFindings('Text', () => [FINDING])).toBe('Text');
  });
});
