import { describe, expect, it } from '@jest/globals';
import type { Warning } from '../../src/lib/warning.js';
import { done, memoryReport, refused } from '../helpers/memory-report.js';
import { formatSummary, type Report } from '../helpers/reports.js';

function format(report: Report<'memory-command'>, warnings: readonly Warning[] = []): string {
  const clean = (markdown: string) => `(clean) ${markdown}`;
  return formatSummary(report, { warnings, clean });
}

describe('the summary of a memory command', () => {
  it('shows what was done, where it was answered, and warnings', () => {
    const published = { line: 'Posted a comment on #7.', url: 'https://github.com/x' };
    const warnings = [{ code: 'memory-store-notice', message: 'a link was left out' }] as const;
    expect(format(memoryReport(done('Forgotten.'), { published }), warnings)).toBe(
      '### bot: /axe forget\n\n(clean) Forgotten.\n\nPosted a comment on #7. [Open it](https://github.com/x)\n\n**Warnings**\n\n- a link was left out',
    );
  });

  it('shows why nothing was done, and what to do about it', () => {
    const result = refused('not-found', { remedy: 'Look again.' });
    expect(format(memoryReport(result))).toBe(
      '### bot: /axe forget\n\n(clean) Nothing was done: it is so. Look again.',
    );
  });
});
