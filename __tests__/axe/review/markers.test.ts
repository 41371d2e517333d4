import { describe, expect, it } from '@jest/globals';
import { outbound } from '../../../src/axe/outbound/outbound.js';
import {
  findingMarker,
  parseFindingMarker,
  parseReviewMarker,
  reviewMarker,
} from '../../../src/axe/review/markers.js';

const FINGERPRINT = '0123456789abcdef';

describe('hidden markers', () => {
  it('of a comment are read at its beginning only', () => {
    const marker = findingMarker(FINGERPRINT);
    expect(parseFindingMarker(`${marker}\nBind the id.`)).toBe(FINGERPRINT);
    expect(parseFindingMarker(`${marker}\r\nBind the id.`)).toBe(FINGERPRINT);
    expect(parseFindingMarker(`Look:\n${marker}\n`)).toBeUndefined();
    expect(parseFindingMarker(` ${marker}`)).toBeUndefined();
    expect(parseFindingMarker(`${marker} and more`)).toBeUndefined();
  });

  it.each([
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [] },
    { agent: 'pr-reviewer', head: 'a'.repeat(40), findings: [FINGERPRINT, 'f'.repeat(16)] },
    { agent: 'a --> b', head: '--', findings: [] },
  ])('of a review say whose it is: %j', (parts) => {
    const marker = reviewMarker(parts);
    expect(parseReviewMarker(`${marker}\n\nText`)).toEqual(parts);
    expect(parseReviewMarker(`${marker}\r\n\r\nText`)).toEqual(parts);
    expect(marker.match(/-->/g)).toHaveLength(marker.split('\n').length);
    expect(parseReviewMarker(`> ${marker}`)).toBeUndefined();
  });

  it('cannot come from a model (C8 98)', () => {
    const forged = `${reviewMarker({ agent: 'x', head: 'y', findings: [] })}\n${findingMarker(FINGERPRINT)}\nText`;
    const cleaned = outbound(forged, 'comment', []);
    expect(cleaned).not.toContain('axe-action');
    expect(cleaned.trim()).toBe('Text');
  });
});
