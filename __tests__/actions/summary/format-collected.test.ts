import { describe, expect, it } from '@jest/globals';
import { collectedLines, collectedSummary } from '../../../src/actions/summary/format-collected.js';

describe('garbage collection of an agent without entries', () => {
  it.each([
    [0, ['No memory entries for agent "bot". Nothing to do.']],
    [2, ['No memory entries for agent "bot".', 'Removed: 2 daily logs older than `retention_days`.']],
  ])('that removed %d daily logs says so in the log and in the summary', (days, lines) => {
    const collected = {
      kind: 'collected',
      agent: 'bot',
      store: 'file',
      collection: { days, end: { kind: 'empty' } },
    } as const;
    expect(collectedLines(collected)).toEqual(lines);
    const summary = collectedSummary(collected, { isHidden: false, clean: (text) => text });
    for (const line of lines) expect(summary).toContain(line);
  });
});
