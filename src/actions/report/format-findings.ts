import type { FindingRecord } from '../../core/findings/record.js';
import { severityMark } from '../../core/review/comment-text.js';
import { count } from '../../core/text/count.js';
import { cleanLine } from '../../core/text/cut.js';
import { code, sections } from './markdown.js';

const MAX_ROWS = 100;
const MAX_TITLE = 100;
const MAX_PATH = 100;

/** Findings with their fates, the worst first as they are given, as a table for the job summary; empty for none. */
export function formatFindingTable(
  records: readonly FindingRecord[],
  clean: (markdown: string) => string,
): string {
  if (records.length === 0) return '';
  const rows = records.slice(0, MAX_ROWS).map((record) => rowOf(record, clean));
  const left = records.length - rows.length;
  return sections([
    ['| Finding | Severity | Confidence | Result |', '|---|---|---|---|', ...rows].join('\n'),
    left > 0 ? `and ${count(left, 'more finding')}` : '',
  ]);
}

function rowOf(record: FindingRecord, clean: (markdown: string) => string): string {
  const { title, path, line, severity, category, confidence, state, why, by, url } = record;
  const name = cell(cleanLine(clean(title), MAX_TITLE));
  const place = cell(code(`${cleanLine(path, MAX_PATH)}:${line}`));
  const who = by === undefined ? '' : ` by ${code(by)}`;
  const reason = why === undefined ? '' : `: ${cleanLine(clean(why), MAX_TITLE)}`;
  const result = url === undefined ? RESULTS[state] : `[${RESULTS[state]}](${url})`;
  return `| ${name}<br>${place} | ${severityMark(severity)} ${severity} · ${category} | ${confidence} | ${cell(`${result}${who}${reason}`)} |`;
}

const RESULTS: Readonly<Record<FindingRecord['state'], string>> = {
  new: 'new',
  open: 'open before',
  settled: 'settled',
  outdated: 'outdated',
  dismissed: 'dismissed',
  withdrawn: 'taken back',
  refuted: 'refuted on a second look',
  'held-back': 'not posted',
};

function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}
