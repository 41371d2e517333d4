import { describe, expect, it } from '@jest/globals';
import {
  formatSkippedVersions,
  parseSkippedVersions,
  unreleased,
} from '../../../../src/adapters/stores/cache/reservations.js';

const NOON = Date.parse('2026-02-03T12:00:00Z');

describe('the record of skipped versions', () => {
  it('is read back as written', () => {
    const passed = new Map([
      [7, NOON],
      [1_234_567_890, NOON + 1],
    ]);
    const text = formatSkippedVersions(passed);
    expect(text).toContain('\n- passed-over 7 at=2026-02-03T12:00:00.000Z\n');
    expect(parseSkippedVersions(text)).toEqual(passed);
  });

  it.each([
    '',
    '- passed-over 0 at=2026-02-03T12:00:00Z',
    '- passed-over -1 at=2026-02-03T12:00:00Z',
    '- passed-over 12345678901 at=2026-02-03T12:00:00Z',
    '- passed-over 7',
    '- passed-over 7 at=yesterday',
    '- forgotten 7 at=2026-02-03T12:00:00Z',
  ])('is empty in %j', (text) => {
    expect(parseSkippedVersions(text)).toEqual(new Map());
  });

  it('allows a version to appear for a day, and no longer', () => {
    const passed = new Map([[7, NOON]]);
    expect(unreleased(passed, new Date(NOON + 24 * 60 * 60 * 1000))).toEqual(passed);
    expect(unreleased(passed, new Date(NOON + 25 * 60 * 60 * 1000))).toEqual(new Map());
  });
});
