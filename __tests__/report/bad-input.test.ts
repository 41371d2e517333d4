import { expect, it } from '@jest/globals';
import type { FindingRecord } from '../../src/findings/post/record.js';
import { MAX_SUMMARY_BYTES } from '../../src/lib/defaults.js';
import type { Warning } from '../../src/lib/errors.js';
import { utf8Bytes } from '../../src/lib/text/bytes.js';
import type { RunReport } from '../../src/run/records.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { PLAIN_RECORD } from '../findings/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { completed, formatSummary, reportOf } from '../helpers/reports.js';

const clean = (markdown: string) => sanitize(markdown, 'summary', []);

/** A review with these findings. */
async function reviewOf(findings: readonly FindingRecord[], answer = 'Fine.'): Promise<RunReport> {
  const ran = await reportOf('ran', { agents: { bot: AGENT } });
  const report = { head: 'a'.repeat(40), base: '', pull: 2, coverage: undefined, findings };
  const reviewResult = { agent: 'bot', report, isUnpublished: false };
  return { ...ran, outcome: completed(answer), published: { ...ran.published, reviewResult } };
}

async function summaryOf(
  findings: readonly FindingRecord[],
  warnings: readonly Warning[] = [],
  answer?: string,
): Promise<string> {
  return clean(formatSummary(await reviewOf(findings, answer), { clean, warnings }));
}

const many = (number: number, patch: Partial<FindingRecord> = {}) =>
  Array.from({ length: number }, (_, index) => ({ ...PLAIN_RECORD, line: index + 1, ...patch }));

const rowsOf = (summary: string) =>
  summary.split('\n').filter((line) => / · F\w{4}<br>/.test(line));

it('the summary of 500 findings has a row for each, and counts them', async () => {
  const summary = await summaryOf(many(500));
  expect(rowsOf(summary)).toHaveLength(500);
  expect(summary.split('\n', 1)[0]).toContain('500 open: 500 ');
});

it('the summary of 300 warnings has a line for each', async () => {
  const warnings = Array.from({ length: 300 }, (_, index) => {
    return { code: 'context-unread', message: `file ${index} was not read` } as const;
  });
  expect((await summaryOf([], warnings)).match(/^- file \d+ was not read/gm)).toHaveLength(300);
});

it('a title of 10,000 characters is cut in its row', async () => {
  const [row = ''] = rowsOf(await summaryOf(many(1, { title: 'word '.repeat(2000) })));
  expect(row).toContain('… · F');
  expect(row.length).toBeLessThan(500);
});

it('a name that is written from right to left changes no other cell', async () => {
  const path = 'src/\u202Eexe.gpj.ts';
  const [row = ''] = rowsOf(await summaryOf(many(1, { path, title: 'שלום \u2066עולם' })));
  expect(row).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  expect(row).toMatch(/^\| .+ \| .+ \| .+ \| .+ \|$/);
});

it('a path of two lines, with a backtick and of 10,000 characters, stays in its code span', async () => {
  const ran = await reportOf('ran', { agents: { bot: AGENT } });
  const files = [`a\n## \`b\` ${'c'.repeat(10_000)}`];
  const commits = [{ sha: 'a'.repeat(40) }];
  const posts = [{ kind: 'commits', number: 2, url: '', branch: 'topic', commits, files }] as const;
  const summary = formatSummary({ ...ran, published: { ...ran.published, posts } });
  expect(summary).toMatch(/^Pushed aaaaaaa to `topic` of #2: `` a ## `b` c{1,100}… ``\.$/m);
});

it('a summary of more than a megabyte ends behind a whole line, and says so', async () => {
  const line = `${'word '.repeat(20)}end.`;
  const summary = await summaryOf([], [], `${line}\n`.repeat(12_000));
  expect(utf8Bytes(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
  const lines = summary.trimEnd().split('\n');
  expect(lines.some((text) => /too (?:long|large)|\bcut\b/.test(text))).toBe(true);
  expect(lines.findLast((text) => text.endsWith('end.'))).toBe(line);
  expect(lines.filter((text) => text.startsWith('word') && text !== line)).toEqual([]);
});
