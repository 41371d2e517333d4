import { expect, it } from '@jest/globals';

// @ts-expect-error: a script without types
const { formatStatus } = await import('../../scripts/status.js');

const report = (at: string, version = '1.0.0') => ({ at: `${at}T03:04:05.000Z`, version });
const score = { model: 'anthropic/claude-sonnet-5-5', date: '2026-02-03', version: '1.1.0' };

it.each([
  ['nothing', {}, [/^On github\.com: never /, /Figures of a real model: never /]],
  [
    'two live checks',
    { reports: [report('2026-01-02', '1.1.0'), report('2026-01-01')] },
    [/On github\.com: \[verified\]\(.*\) on 2026-01-02 with version 1\.1\.0\. /, /model: never /],
  ],
  ['a score', { score }, [/\.com: never /, /\[anthropic\/claude-sonnet-5-5\]\(.*\) on 2026-02-03/]],
])('the status box of the README says what there is: %s', (_, pages, words) => {
  for (const pattern of words) expect(formatStatus(pages)).toMatch(pattern);
});
