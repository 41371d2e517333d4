import { groupBy } from '../../lib/data.js';
import type { Warning } from '../../lib/errors.js';
import type { DiffFile } from '../../lib/text/diff.js';
import { codeSpan, count, paragraphs } from '../../lib/text/format.js';
import { fence } from '../../safety/fence.js';
import { hiddenIn, showHidden, showName } from '../../safety/hidden.js';
import { type PlacedFinding, placeOnLines } from '../change/diff-lines.js';
import { createHandle, type Finding, type FindingRule, mintId, type Severity } from '../finding.js';
import type { FindingContext } from './take-finding.js';

/** An added line, or the name of an added or renamed file, that reads otherwise than it runs. */
export interface HiddenPlace {
  readonly rule: FindingRule;
  readonly path: string;
  /** The line; of a name the first one. */
  readonly line: number;
  readonly text: string;
  /** See {@link hiddenIn}. */
  readonly problem: string;
}

/** Looks through a whole diff, also through files that no model is shown. */
export function findHiddenPlaces(files: readonly DiffFile[]): readonly HiddenPlace[] {
  return files.flatMap(({ path, status, hunks }) => {
    const isNewName = status !== 'deleted' && status !== 'modified';
    const name = isNewName ? placeOf('hidden-name', path, 1, path) : [];
    const lines = hunks.flatMap((hunk) =>
      hunk.lines.flatMap((line) =>
        line.kind === 'added'
          ? placeOf('hidden-line', path, line.newLine, line.text.replace(/\r$/, ''))
          : [],
      ),
    );
    return [...name, ...lines];
  });
}

function placeOf(
  rule: FindingRule,
  path: string,
  line: number,
  text: string,
): readonly HiddenPlace[] {
  const problem = hiddenIn(text);
  return problem === undefined ? [] : [{ rule, path, line, text, problem }];
}

/** Unless the agent's file sets one for security. */
export const HIDDEN_SEVERITY: Severity = 'major';

/** Open findings in one file; further places are counted. */
const MAX_IN_FILE = 10;

/**
 * The findings that a run raises on these places, without a model. Places that the pull request
 * has a finding on already, open or decided by a person, get none.
 */
export function raiseHidden(
  places: readonly HiddenPlace[],
  { ledger, lines, overrides, run }: FindingContext,
  maxFindings: number,
): readonly PlacedFinding[] {
  const known = ledger.copy();
  known.endRepaired();
  const { agent } = ledger.context;
  const severity = overrides.security ?? HIDDEN_SEVERITY;

  const raised: PlacedFinding[] = [];
  for (const [path, inFile] of groupBy(places, (place) => place.path)) {
    for (const place of inFile) {
      const openInFile = known.open.filter((open) => open.rule !== undefined && open.path === path);
      if (openInFile.length >= MAX_IN_FILE || raised.length >= maxFindings) break;

      const id = mintId(`${run} hidden`, raised.length + 1);
      const handle = createHandle(id, (name) => known.find(name) !== undefined);
      const isLast = openInFile.length === MAX_IN_FILE - 1;
      const uncounted = isLast ? inFile.length - MAX_IN_FILE : 0;
      const draft = { id, handle, agent, severity, ...textsOf(place, uncounted) };
      const placed = placeHidden(place, draft, lines);
      const { kind } = known.raise(placed.finding);
      if (kind === 'raised' || kind === 'back') raised.push(placed);
    }
  }
  return raised;
}

type Draft = Pick<Finding, 'id' | 'handle' | 'agent' | 'severity' | 'title' | 'body'>;

function placeHidden(
  { rule, path, line, text }: HiddenPlace,
  draft: Draft,
  lines: FindingContext['lines'],
): PlacedFinding {
  const finding: Finding = {
    ...draft,
    rule,
    state: 'open',
    path,
    line,
    side: 'RIGHT',
    category: 'security',
    confidence: 'likely',
    evidence: [],
  };
  const placement = placeOnLines(finding, lines);
  // A name has no line whose change would end it.
  return { finding: rule === 'hidden-line' ? { ...finding, code: text } : finding, placement };
}

/** Characters of a line in a title. */
const MAX_EXCERPT = 100;

/** Characters before the first hidden one. */
const BEFORE_HIDDEN = 40;

function textsOf(
  { rule, text, problem }: HiddenPlace,
  uncounted: number,
): Pick<Finding, 'title' | 'body'> {
  const shown = showHidden(text.trim());
  const first = shown.search(/<U\+[0-9A-F]{4,6}>/);
  const start = shown.length > MAX_EXCERPT ? Math.max(0, first - BEFORE_HIDDEN) : 0;
  const end = start + MAX_EXCERPT;
  const excerpt = shown.slice(start, end).toWellFormed();
  const line = `${start > 0 ? '…' : ''}${excerpt}${end < shown.length ? '…' : ''}`;

  const subject = rule === 'hidden-name' ? 'The name of this file' : 'This line';
  const named = problem.replace(
    /\((.+)\)$/su,
    (_, characters: string) => `(${codeSpan(characters)})`,
  );
  return {
    title: `Hidden characters: ${codeSpan(line)}`,
    body: paragraphs([
      `${subject} has ${named}, so it reads otherwise than it runs. Remove them, or write them as escapes. This finding was raised without a model, and is settled when they are gone.`,
      uncounted > 0 ? `The file has ${count(uncounted, 'more place')} like this.` : '',
    ]),
  };
}

/** Places in the list; the rest is counted. */
const MAX_LISTED = 100;

/** Tells a reviewing model which places have hidden characters; undefined for none. */
export function describeHidden(places: readonly HiddenPlace[]): string | undefined {
  if (places.length === 0) return undefined;
  const listed = places.slice(0, MAX_LISTED).map(({ rule, path, line, problem }) => {
    const name = showName(path, MAX_PATH);
    return rule === 'hidden-name'
      ? `${name}: its name has ${problem}`
      : `${name}:${line}: ${problem}`;
  });
  const rest = places.length - listed.length;
  const lines = rest > 0 ? [...listed, `... and ${rest} more`] : listed;
  const list = fence(lines.join('\n'), { source: 'hidden characters' });
  return `Added lines and names that read otherwise than they run. A finding for each of these is posted already. Say what the line does.\n${list}`;
}

const MAX_PATH = 300;

/** Warns of places in files that a review is not about; undefined for none. */
export function warnOfHidden(places: readonly HiddenPlace[]): Warning | undefined {
  if (places.length === 0) return undefined;
  const paths = [...new Set(places.map(({ path }) => path))];
  const names = paths.slice(0, MAX_NAMED).map((path) => codeSpan(showName(path, MAX_PATH)));
  const more = paths.length > names.length ? ', …' : '';
  const message = `${count(places.length, 'place')} with hidden characters ${places.length === 1 ? 'is' : 'are'} in files that \`paths\` leaves out (${names.join(', ')}${more})`;
  const remedy = 'Look at them, or let `paths` include these files to get a finding for each.';
  return { code: 'hidden-characters', message, remedy };
}

const MAX_NAMED = 5;
