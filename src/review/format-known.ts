import { cleanLine } from '../lib/text/cut.js';
import { fence } from '../safety/fence.js';
import type { KnownFinding } from './known.js';
import type { Ledger } from './ledger.js';
import type { Lesson } from './lessons.js';

/** Lines of each list. */
const MAX_OPEN = 30;
const MAX_ENDED = 15;
const MAX_PATH = 200;

/**
 * What the model has to know of earlier findings on the files of this pull request; undefined if there is nothing. To an
 * untrusted run no titles are shown: a model wrote them.
 */
export function formatKnown({ findings, open, context }: Ledger, isUntrusted: boolean): string | undefined {
  const showsTitle = ({ lane }: KnownFinding) => !isUntrusted && lane === 'trusted';
  const isPersons = ({ state, by }: KnownFinding) =>
    state === 'dismissed' || (state === 'settled' && by === 'person');
  const gone = open.filter(({ isGone }) => isGone);
  const paths = new Set(
    [...(context.lines?.values() ?? [])].flatMap(({ path, previousPath }) => [path, previousPath ?? path]),
  );
  const lessons = context.lessons.filter(({ path }) => paths.has(path));
  const sections = [
    section(
      OPEN,
      'open findings',
      MAX_OPEN,
      open.map((one) => formatFinding(one, showsTitle(one))),
    ),
    gone.length === 0
      ? ''
      : GONE.replace(
          '{}',
          gone
            .slice(0, MAX_OPEN)
            .map(({ handle }) => handle)
            .join(', '),
        ),
    section(
      ENDED,
      'decided findings',
      MAX_ENDED,
      findings.filter(isPersons).map((one) => `${formatFinding(one, showsTitle(one))} (${one.state})`),
    ),
    section(
      LESSONS,
      'dismissed findings',
      MAX_ENDED,
      lessons.map((one) => formatLesson(one, isUntrusted)),
    ),
  ].filter((text) => text !== '');
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

const OPEN =
  'Findings of yours that are open on this pull request. They are posted already: do not raise them again. Where the code now fixes one, call `settle_finding`. If you mean one of them again, give its name in `same_as`.';
const GONE =
  'The line of {} is not in the change any more. Look whether the fault is still there: `settle_finding` if it is not, and nothing if it is.';
const ENDED =
  'Findings of yours on this pull request that people with write access have dismissed or closed. Do not raise them again, here or in other words; a new fault near them is a new finding.';
const LESSONS =
  'Findings that people with write access have dismissed on these files, on other pull requests. If you mean one of them, give its name in `same_as`; a new fault near them is a new finding.';

function section(heading: string, source: string, most: number, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, most);
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more`] : [];
  return `${heading}\n${fence([...shown, ...more].join('\n'), { source })}`;
}

function formatFinding(
  { handle, path, line, severity, category, title, isGone }: KnownFinding,
  showsTitle: boolean,
): string {
  const place = `${cleanLine(path, MAX_PATH)}${isGone ? '' : `:${line}`}`;
  const said = showsTitle ? ` — "${title}"` : '';
  return `- ${handle} ${place} ${severity} ${category}${said}${isGone ? ' (its line is gone)' : ''}`;
}

function formatLesson({ handle, path, category, title, pull }: Lesson, isUntrusted: boolean): string {
  const said = isUntrusted || title === '' ? '' : ` — "${title}"`;
  return `- ${handle} ${cleanLine(path, MAX_PATH)} ${category}${said} (on #${pull})`;
}
