import { fence } from '../core/sanitize/fence.js';
import { cleanLine } from '../core/text/cut.js';
import { count } from '../core/text/number.js';
import type { DiffLines } from './diff-lines.js';
import { type Ended, livesOf } from './finding-facts.js';
import type { KnownFinding } from './known.js';
import type { ReviewFact } from './state-facts.js';

/** What the prompt section is made from. */
export interface KnownParts {
  /** The findings of the pull request. */
  readonly known: readonly KnownFinding[];
  readonly facts: readonly ReviewFact[];
  readonly pull: number;
  readonly lines: DiffLines;
  /** Titles were written by a model that had read what strangers wrote: they are left out. */
  readonly isUntrusted: boolean;
}

/** Lines of each list. */
const MAX_OPEN = 30;
const MAX_DISMISSED = 15;
const MAX_HABITS = 5;
const MAX_PATH = 200;

/**
 * What the model has to know of earlier findings on the files of this pull request; undefined if there is nothing. No word
 * of anybody's answer is in it.
 */
export function formatKnown(parts: KnownParts): string | undefined {
  const open = parts.known.filter(({ state }) => state === 'open');
  const sections = [
    section(OPEN, {
      source: 'open findings',
      lines: open.map((one) => formatOpen(one, parts)),
      most: MAX_OPEN,
    }),
    section(DISMISSED, { source: 'dismissed findings', lines: dismissedLines(parts), most: MAX_DISMISSED }),
    section(HABITS, { source: 'dismissals by kind', lines: habitLines(parts.facts), most: MAX_HABITS }),
  ].filter((text) => text !== '');
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

const OPEN =
  'Findings of yours that are open on this pull request. They are posted already: do not raise them again. Where the code now fixes one, call `settle_finding`. If you mean one of them again, give its name in `same_as`.';
const DISMISSED =
  'Findings that people with write access have dismissed on these files. Do not raise them again, here or in other words; a new fault near them is a new finding.';
const HABITS =
  'What people here dismiss often. Raise such a finding only where it does harm that they can see.';

function section(
  heading: string,
  {
    source,
    lines,
    most,
  }: { readonly source: string; readonly lines: readonly string[]; readonly most: number },
): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, most);
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more`] : [];
  return `${heading}\n${fence([...shown, ...more].join('\n'), { source })}`;
}

function formatOpen(finding: KnownFinding, { isUntrusted }: KnownParts): string {
  const { handle, path, line, severity, category, title, isShowable, isOwn, isChanged } = finding;
  const place = `${cleanLine(path, MAX_PATH)}${line === undefined ? '' : `:${line}`}`;
  const kind = [severity, category].filter((word) => word !== undefined).join(' ');
  return [
    `- ${handle} ${place}`,
    ...(kind === '' ? [] : [` ${kind}`]),
    ...(isUntrusted || !isShowable ? [] : [` — "${title}"`]),
    ...(isOwn ? [] : [' (raised by another agent)']),
    ...(isChanged ? [' (its line has changed since)'] : []),
  ].join('');
}

function dismissedLines({ known, facts, pull, lines, isUntrusted }: KnownParts): readonly string[] {
  const paths = new Set(
    [...lines.values()].flatMap(({ path, previousPath }) => [path, previousPath ?? path]),
  );
  const titles = new Map(
    known.map(({ id, title, isShowable }) => [id, isUntrusted || !isShowable ? '' : title]),
  );
  const here = known
    .filter(({ state }) => state === 'dismissed')
    .map(({ id, path, category }) => {
      return { id, path, category: category ?? 'other', pull, at: new Date(0) };
    });
  const kept = [...livesOf(facts).values()].flatMap(({ ended }) =>
    ended !== undefined && isTaught(ended, pull) && paths.has(ended.path) ? [ended] : [],
  );
  const all = [...kept, ...here.filter(({ id }) => !kept.some((one) => one.id === id))];
  return all.toSorted(newestFirst).map((one) => {
    const title = titles.get(one.id) ?? '';
    const said = title === '' ? '' : ` — "${title}"`;
    return `- ${cleanLine(one.path, MAX_PATH)} ${one.category}${said} (on #${one.pull})`;
  });
}

/** A person's own words, as a model read them, hold on their pull request alone. */
function isTaught({ how, why, pull }: Ended, here?: number): boolean {
  return how === 'dismissed' && (why !== 'words' || pull === here);
}

function newestFirst(a: Pick<Ended, 'at' | 'id'>, b: Pick<Ended, 'at' | 'id'>): number {
  return b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1);
}

/** From so many dismissals of one kind on, the kind itself says something. */
const HABIT = 3;

/** Which kinds of findings people here dismiss, by folder, the most frequent first. */
function habitLines(facts: readonly ReviewFact[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { ended } of livesOf(facts).values()) {
    if (ended === undefined || !isTaught(ended) || ended.category === 'security') continue;
    const key = `of the kind ${ended.category} in ${folderOf(ended.path)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, number]) => number >= HABIT)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, number]) => `- People here dismissed ${count(number, 'finding')} ${what}`);
}

function folderOf(path: string): string {
  const folder = cleanLine(path, MAX_PATH).split('/').slice(0, -1).join('/');
  return folder === '' ? '*' : `${folder}/*`;
}
