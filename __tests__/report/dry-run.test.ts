import { describe, expect, it } from '@jest/globals';
import type { Warning } from '../../src/lib/errors.js';
import { createNoneStore } from '../../src/memory/stores/guard.js';
import type { RunReport } from '../../src/run/records.js';
import { formatSummary, reportOf } from '../helpers/reports.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

const format = (report: RunReport, warnings: readonly Warning[] = []) => formatSummary(report, { warnings });

describe('the summary of a dry run', () => {
  it('shows nothing of a memory in another repository (D14)', async () => {
    const parts = { memory: { 'bot.md': ENTRY } };
    const report = await reportOf('planned', parts, { prompt: 'Is it safe?' });
    const text = formatSummary(report, { isHidden: true });
    expect(text).not.toMatch(/2026-02-21|Review|Fine/);
    expect(text).toContain('<summary>System prompt</summary>\n\n```text\nYou help.\n```');
    expect(text).toContain('1 entry loaded from `/memory/bot.md`.\n\nWhat it says is not shown here');
    expect(text).toContain('\n\nAn entry would have been added.\n\n| Agent |');
  });

  it('announces no entry if none would be kept', async () => {
    const nowhere = format(await keptNowhere());
    expect(nowhere).toContain('\n\n**Memory:** nothing is kept (`memory-store: none`).\n\n| Agent |');
    const restore = { kind: 'failed', message: 'permission denied', location: '/m.md' } as const;
    const unreadable = format(await reportOf('planned', { restore }));
    expect(unreadable).toContain('**Memory** (file): not loaded: permission denied.\n\n| Agent |');
  });
});

/** A dry run whose memory is kept nowhere, with what the real store of that kind gives. */
async function keptNowhere(): Promise<RunReport> {
  const store = createNoneStore();
  const signal = new AbortController().signal;
  const restored = await store.read({ path: 'bot.md', lastN: 0, count: false }, signal);
  return { ...(await reportOf('planned')), memory: { store, restored, text: '', facts: [] } };
}
