import { describe, expect, it } from '@jest/globals';
import { formatRecent } from '../../../src/report/format-notes.js';
import { createNotesScene, PROJECT, ROOT } from './notes-scene.js';

describe('the newest changes of a run', () => {
  it('are listed for the summary, without what was written', async () => {
    const scene = createNotesScene({ files: { 'MEMORY.md': 'a\n' } });
    await scene.call('memory_write', { target: 'long_term', content: 'a' });
    await scene.call('memory_write', { target: 'note', name: 'a`b', content: 'é' });
    await scene.call('memory_write', { target: 'long_term', mode: 'overwrite', content: '' });
    await scene.session.addSummary('what was done', 4);
    expect(formatRecent(scene.session.recent())).toBe(
      [
        '| Time (UTC) | Change | File | Bytes |',
        '| --- | --- | --- | ---: |',
        `| 14:05:09 | append | \`${ROOT}/${PROJECT}/notes/a'b.md\` | 2 |`,
        `| 14:05:09 | overwrite | \`${ROOT}/MEMORY.md\` | 0 |`,
        `| 14:05:09 | append | \`${ROOT}/${PROJECT}/daily/2026-03-01.md\` | 13 |`,
        '',
      ].join('\n'),
    );
  });

  it('show how many are not in the table', async () => {
    const scene = createNotesScene();
    const numbers = Array.from({ length: 103 }, (_, index) => index);
    for (const number of numbers)
      await scene.call('memory_write', { target: 'long_term', content: `fact ${number}` });
    const table = formatRecent(scene.session.recent(), scene.session.changes('trusted').length);
    expect(table).toMatch(/^The newest 100 of 103 changes; 3 earlier ones are not listed\.\n\n\| Time/);
    expect(table.match(/^\| 14:/gm)).toHaveLength(100);
  });

  it('produce no table if there are none', () => {
    expect(formatRecent([])).toBe('');
  });
});
