import { describe, expect, it } from '@jest/globals';
import { formatProvenance } from '../../src/memory/run-log.js';
import { formatUnsavedSummary } from '../../src/report/run.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

describe('the summary of a post step that could not save', () => {
  it('shows the reason, and the entries without their internal lines', () => {
    const provenance = formatProvenance({
      id: 'id1',
      run: '1/1',
      job: 'review',
      event: 'push',
      sha: 'ccccccc',
      actor: 'octocat',
      trust: 'trusted',
      model: 'openai/m',
    });
    const texts = [`${ENTRY.trimEnd()}\n${provenance}\n\n`, ENTRY];
    const entries = texts.map((text) => ({ kind: 'append', path: 'bot.md', id: 'id1', text }) as const);
    const why = 'failed to save memory: no cache';
    expect(formatUnsavedSummary(why, entries, false)).toBe(
      '### axe-action: memory not saved\n\nfailed to save memory: no cache\n\n' +
        'The main step left this unsaved, so it is shown here:\n\n' +
        `\`\`\`text\n${ENTRY}${ENTRY.trimEnd()}\n\`\`\``,
    );
    // Two entries of a tainted run have one id.
    expect(formatUnsavedSummary(why, entries, true)).toBe(
      `### axe-action: memory not saved\n\n${why}\n\n` +
        'What the main step left belongs to another repository: `id1`.',
    );
  });
});
