import type { Repository } from '../../event/trigger.js';
import type { Word } from '../../event/trust.js';
import type { Warning } from '../../lib/errors.js';
import { cleanLine, codeBlock, codeSpan, paragraphs } from '../../lib/text/format.js';
import { fence } from '../../safety/fence.js';
import { showName } from '../../safety/hidden.js';
import type { BufferedPublications } from '../buffered-publications.js';
import { isHeldBackByPerson } from '../decide/duplicates.js';
import { CLAIMED_OVER_TEXT, type FindingChanges, type Ledger } from '../decide/ledger.js';
import {
  compareSeverity,
  hasEnded,
  isOpen,
  type OpenCount,
  type Severity,
  STATE_REASON_TEXTS,
} from '../finding.js';
import type { KnownFinding, Lesson, Settlement } from '../known-finding.js';
import { SEVERITY_ICONS, titleLine } from './comment-text.js';

/**
 * How much a review has looked at: all there was, what the inputs or a budget left of it, or what
 * it came to.
 */
export type ReviewExtent = 'whole' | 'part' | 'cut';

/**
 * What a run has to say of the findings of a pull request, and all that its texts are made from.
 */
export interface ReviewToPost {
  readonly place: { readonly repository: Repository; readonly number: number };
  /**
   * Whose review it is; one that was asked for in a comment bears the comment's number behind the
   * agent's name.
   */
  readonly agent: string;
  /** Sha of the commit that the findings were held against. */
  readonly head: string;
  /** Of the run that says it. */
  readonly word: Word;
  readonly ledger: Ledger;
  readonly news: FindingChanges;
  readonly buffered: BufferedPublications;
  /** Ids of findings that are answered elsewhere; left out: none. */
  readonly answered?: ReadonlySet<string>;
  /**
   * Sentences for people about how the review came about, in markdown that nobody has cleaned yet.
   */
  readonly remarks: readonly string[];
  /** The run answers a question: what it says nothing of is not its subject. */
  readonly isQuestion?: boolean;
  /** The run completed, or a limit ended it, and it may write comments. */
  readonly isOver: boolean;
  /** GitHub could not be read after the run's work, so more may have happened; left out: it was. */
  readonly isUnread?: boolean;
  /** Why nothing can be said; left out: it can. */
  readonly unsayable?: PostingTrouble;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** Comments start the workflow, so texts can offer `/axe` commands; left out: they do not. */
  readonly offersCommands?: boolean;
  /** Undefined where a review without findings says nothing by that. */
  readonly extent: ReviewExtent | undefined;
  /** The small line at the end, cleaned markdown; empty for none. */
  readonly footer: string;
  /** Of a comment on a line: who says so. */
  readonly signature: string;
  readonly now: Date;
  /** Which model has raised what is new. */
  readonly model?: string;
  warn(warning: Warning): void;
  /**
   * Outbound cleaning: each text by others goes through it by itself, and has to close what it
   * opens.
   */
  clean(markdown: string): string;
}

/** Counts the findings that are open after the run, and those that it says first. */
export function countOpenOf({ ledger, news }: Pick<ReviewToPost, 'ledger' | 'news'>): OpenCount {
  const { open } = ledger;
  const freshIds = new Set(news.fresh.map(({ finding }) => finding.id));
  return { open, fresh: open.filter(({ id }) => freshIds.has(id)).length };
}

/** Why a review is not posted, and what people can do. */
export interface PostingTrouble {
  readonly message: string;
  readonly remedy?: string;
}

type TextFrame = Pick<ReviewToPost, 'head' | 'clean' | 'offersCommands'>;

const SHORT_SHA = 7;
const MAX_PATH = 200;

/**
 * What is answered in the conversation of a finding that has ended; undefined for who has resolved
 * it, and sees that.
 */
export function replyToEnded(
  { handle, state, why, login = '', reason = '' }: KnownFinding,
  { head, clean, offersCommands = false }: TextFrame,
): string | undefined {
  const said = titleLine(reason, clean);
  const settled = `✅ ${handle} is settled by ${head.slice(0, SHORT_SHA)}`;
  switch (why) {
    case 'resolved':
      return undefined;
    case 'fixed':
      return `${settled}: ${said}`;
    case 'suggestion':
      return `${settled}: ${STATE_REASON_TEXTS.suggestion}.`;
    case 'left':
      return `✅ ${handle} is settled: ${STATE_REASON_TEXTS.left}.`;
    case 'wrong':
      return `I take ${handle} back: ${said}`;
    case 'words':
      return `${handle} is not raised again on this line, as \`${login}\` said: ${said}`;
    default:
      return state === 'dismissed'
        ? replyToDismissal(handle, offersCommands)
        : replyToDone(handle, offersCommands);
  }
}

/** What is answered to a dismissal, whichever way it was made. */
export function replyToDismissal(handle: string, offersCommands: boolean): string {
  return `Noted: ${handle} is dismissed, and not raised again on this line.${undoReopen(handle, offersCommands)}`;
}

export function replyToDone(handle: string, offersCommands: boolean): string {
  return `Noted: ${handle} is settled. It is not raised again while its line stays as it is.${undoReopen(handle, offersCommands)}`;
}

function undoReopen(handle: string, offersCommands: boolean): string {
  return offersCommands ? ` Undo: \`/axe reopen ${handle}\`.` : '';
}

export function replyToReopen(handle: string): string {
  return `${handle} is open again. Undo: \`/axe dismiss ${handle}\`, or \`/axe done ${handle}\`.`;
}

/** What is said in the conversation of a finding that is open again, or worse. */
export function replyToReopened(finding: KnownFinding, { head }: TextFrame): string {
  return `${finding.handle} is ${backWords(finding, head)}.`;
}

function backWords({ by, severity }: KnownFinding, head: string): string {
  const commit = head.slice(0, SHORT_SHA);
  if (by === undefined) return `still there as of ${commit}, and ${severity}`;
  return by === 'person' ? 'open again' : `back since ${commit}`;
}

/** The answer to `/axe reopen` where the file of the finding has left the change. */
export function replyToLeft(handle: string): string {
  return `${handle} is not open now: its file is not part of the change. If it stays closed once the file is back, write \`/axe reopen ${handle}\` again.`;
}

/** What is added where the token may not change a conversation. */
export const CONVERSATION_STAYS_OPEN =
  'The conversation stays open: resolving it takes `contents: write`.';

/** The reply if the model takes a finding for over, and people alone decide: `why`. */
export function replyToClaimedEnd(
  { finding: { handle }, how, reason }: Settlement,
  why: string,
  { head, clean }: TextFrame,
): string {
  const over = how === 'wrong' ? 'may be wrong' : `looks done as of ${head.slice(0, SHORT_SHA)}`;
  return `${handle} ${over}: ${titleLine(reason, clean)}\n\n${handle} stays open: ${why}.`;
}

/** A line of a review about an earlier finding, as markdown. */
interface EarlierFinding {
  readonly finding: KnownFinding;
  readonly line: string;
  /** The finding has ended. */
  readonly isOver: boolean;
}

type EarlierNews = TextFrame & { readonly ledger: Ledger; readonly news: FindingChanges };

/**
 * The lines of a review on earlier findings: those that came back or may be over, those that are
 * still open, and at last those that have ended.
 */
export function formatEarlierFindings({
  ledger,
  news,
  head,
  clean,
}: EarlierNews): readonly EarlierFinding[] {
  const name = (finding: KnownFinding) => nameOf(finding, clean);
  const about = (finding: KnownFinding, line: string) => ({ finding, line, isOver: false });
  // Their conversations may have been opened since.
  const back = news.back.map(
    (finding) => ledger.findings.find(({ id }) => id === finding.id) ?? finding,
  );
  return [
    ...back.map((finding) => about(finding, `- ↩️ ${name(finding)} — ${backWords(finding, head)}`)),
    ...news.claimed.map(({ finding }) =>
      about(finding, `- ❔ ${name(finding)} — ${CLAIMED_OVER_TEXT}`),
    ),
    ...stillOpen({ ledger, news }).map((finding) =>
      about(finding, `- ${SEVERITY_ICONS[finding.severity]} ${name(finding)} — still open`),
    ),
    ...endedToSay(news).map((finding) => ({
      ...about(finding, `- ${endedWords(finding, head, name(finding))}`),
      isOver: true,
    })),
  ];
}

/** The person who resolved a conversation knows that it is over. */
function endedToSay({ ended }: FindingChanges): readonly KnownFinding[] {
  return ended.filter(({ why }) => why !== 'resolved');
}

function stillOpen({
  ledger,
  news,
}: Pick<EarlierNews, 'ledger' | 'news'>): readonly KnownFinding[] {
  const { back, claimed, fresh } = news;
  const others = [...back, ...[...fresh, ...claimed].map(({ finding }) => finding)];
  const otherIds = new Set(others.map(({ id }) => id));
  return ledger.open.filter(({ id }) => !otherIds.has(id));
}

/** Something happened to an earlier finding, or one is open that people see nowhere else. */
export function hasEarlierToSay({ ledger, news }: Pick<EarlierNews, 'ledger' | 'news'>): boolean {
  if (endedToSay(news).length + news.back.length + news.claimed.length > 0) return true;
  return stillOpen({ ledger, news }).some((finding) => !hasSeenThread(finding));
}

/** People see the conversation of the finding, which we may have opened or resolved since. */
function hasSeenThread({ thread, saw }: KnownFinding): boolean {
  return thread !== undefined && saw.resolvedBy === undefined;
}

function endedWords(
  { state, why = 'fixed', login }: KnownFinding,
  head: string,
  name: string,
): string {
  if (why === 'fixed') return `✅ ${name} — settled by \`${head.slice(0, SHORT_SHA)}\``;
  const mark = state === 'dismissed' || why === 'wrong' ? '✖️' : '✅';
  const who = login === undefined ? ':' : ` by ${login},`;
  return `${mark} ${name} — ${state}${who} ${STATE_REASON_TEXTS[why]}`;
}

/** Title and handle; a link where there is a conversation that people see, else the place. */
function nameOf(finding: KnownFinding, clean: TextFrame['clean']): string {
  const { title, path, line, handle, thread } = finding;
  const name = title === '' ? cleanLine(path, MAX_PATH) : title;
  if (thread !== undefined && hasSeenThread(finding))
    return `[${titleLine(name.replace(/[[\]]|\\+$/g, ''), clean)}](${thread.first.url}) · ${handle}`;
  return `${titleLine(name, clean)} · ${clean(codeSpan(`${cleanLine(path, MAX_PATH)}:${line}`))} · ${handle}`;
}

/** Lines of each list. */
const MAX_OPEN = 30;
const MAX_ENDED = 15;
/**
 * What the model has to know of earlier findings on the files of this pull request; undefined if
 * there is nothing.
 */
export function formatKnownFindings({
  findings: allFindings,
  context,
}: Ledger): string | undefined {
  // No model ends, or may repeat, the finding of a rule.
  const findings = allFindings.filter(({ rule }) => rule === undefined);
  const open = findings.filter(isOpen).toSorted((a, b) => compareSeverity(a.severity, b.severity));
  const gone = open.filter(({ isGone }) => isGone);
  const paths = new Set(
    [...(context.lines?.values() ?? [])].flatMap(({ path, previousPath }) => [
      path,
      previousPath ?? path,
    ]),
  );
  const lessons = context.lessons.filter(({ path }) => paths.has(path));
  const ended = findings.filter(hasEnded);
  const isDecided = (finding: KnownFinding) => isHeldBackByPerson(finding, context.lines);
  const decided = ended
    .filter(isDecided)
    .map((finding) => `${formatFinding(finding)} (${finding.state})`);
  const settled = ended.filter((finding) => !isDecided(finding)).map(formatFinding);
  const text = paragraphs([
    section(OPEN, 'open findings', MAX_OPEN, open.map(formatFinding)),
    gone.length === 0 ? '' : GONE.replace('{}', gone.map(({ handle }) => handle).join(', ')),
    section(ENDED, 'decided findings', MAX_ENDED, decided),
    section(SETTLED, 'settled findings', MAX_ENDED, settled),
    section(LESSONS, 'dismissed findings', MAX_ENDED, lessons.map(formatLesson)),
  ]);
  return text === '' ? undefined : text;
}

/**
 * The titles by runs that were not `own`, each as half a sentence that follows "because": a run is
 * shown the titles of all findings of its pull request, at its beginning or while it reviews.
 */
export function strangersInTitles(findings: readonly KnownFinding[]): readonly string[] {
  return findings.flatMap(({ handle, words, rule }) =>
    rule !== undefined || words === 'own'
      ? []
      : [`it read the title of ${handle}, in which strangers may have had a part`],
  );
}

const OPEN =
  'Findings of yours that are open on this pull request. They are posted already: do not raise them again. Where the code now fixes one, call `settle_finding`. If you mean one of them again, give its name in `same_as`.';
const GONE =
  'The change no longer contains the line of {}. Check whether the fault is still there. If it is not, call `settle_finding` without `evidence`. If it is, do nothing.';
const ENDED =
  'Findings of yours on this pull request that people with write access have dismissed or closed. Do not raise them again, here or in other words; a new fault near them is a new finding.';
const SETTLED =
  'Findings of yours on this pull request that are settled. If the fault is back, raise it with its name in `same_as`.';
const LESSONS =
  'Findings that people with write access have dismissed on these files, on other pull requests. If you mean one of them, give its name in `same_as`; a new fault near them is a new finding.';

function section(heading: string, source: string, most: number, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, most);
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more`] : [];
  return `${heading}\n${fence([...shown, ...more].join('\n'), { source })}`;
}

function formatFinding({
  handle,
  path,
  line,
  severity,
  category,
  title,
  isGone,
}: KnownFinding): string {
  const place = `${showName(path, MAX_PATH)}${isGone ? '' : `:${line}`}`;
  const said = title === '' ? '' : ` — "${title}"`;
  return `- ${handle} ${place} ${severity} ${category}${said}${isGone ? ' (its line is gone)' : ''}`;
}

/** What a run is told of a finding that it is to fix, with the lines that prove it. */
export function formatFindingToFix(finding: KnownFinding): string {
  const { handle, path, line, severity, category, title, body, trigger, code } = finding;
  const { evidence, suggestion } = finding;
  const text = paragraphs([
    `${handle} in ${path}:${line}${code === undefined ? '' : `\n${code}`}`,
    `${severity} · ${category} — ${title}`,
    body,
    trigger === undefined ? '' : `When: ${trigger}`,
    suggestion === undefined ? '' : `Suggested:\n\n${codeBlock(suggestion, '')}`,
    evidence.map((one) => `- ${one.path}:${one.line} ${one.code}`).join('\n'),
  ]);
  return fence(text, { source: `finding ${handle}` });
}

function formatLesson({ handle, path, category, title, pull }: Lesson): string {
  const said = title === '' ? '' : ` — "${title}"`;
  return `- ${handle} ${showName(path, MAX_PATH)} ${category}${said} (on #${pull})`;
}
