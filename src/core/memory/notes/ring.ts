import { grouped } from '../../text/number.js';
import type { NoteTarget } from './place.js';

/** A change that a run made to its notes, for the job summary. */
export interface RecentWrite {
  readonly timestamp: Date;
  readonly action: 'append' | 'overwrite';
  readonly target: NoteTarget['kind'];
  /** As the model was shown it. */
  readonly path: string;
  /** What was written, redacted and cut. */
  readonly content: string;
  /** Bytes of it in UTF-8. */
  readonly bytes: number;
}

/** So many of a run's changes are kept for the summary (memory-tools 2.2). */
const MAX_RECENT = 100;

/** The newest changes with one more, oldest first. */
export function withRecent(recent: readonly RecentWrite[], write: RecentWrite): readonly RecentWrite[] {
  return [...recent, write].slice(-MAX_RECENT);
}

/**
 * The changes as a table in markdown, without what was written, with a line that says how many of all are not in it;
 * empty for none. Nobody has cleaned it yet.
 */
export function formatRecent(recent: readonly RecentWrite[], made = recent.length): string {
  if (recent.length === 0) return '';
  const left = made - recent.length;
  const rows = recent.map(
    ({ timestamp, action, path, bytes }) =>
      `| ${timestamp.toISOString().slice(11, 19)} | ${action} | \`${inCell(path)}\` | ${grouped(bytes)} |`,
  );
  return [
    ...(left > 0
      ? [`The newest ${recent.length} of ${made} changes; ${left} earlier ones are not listed.`, '']
      : []),
    '| Time (UTC) | Change | File | Bytes |',
    '| --- | --- | --- | ---: |',
    ...rows,
    '',
  ].join('\n');
}

/** A name may hold a backtick; a bar it cannot. */
function inCell(path: string): string {
  return path.replaceAll('`', "'").replaceAll('|', '\\|');
}
