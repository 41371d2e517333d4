import type { Repository } from '../../event/trigger.js';
import type { Word } from '../../event/trust.js';
import type { Warning } from '../../lib/errors.js';
import { pathsOf } from '../../lib/text/diff.js';
import { cleanLine, codeBlock, codeSpan, paragraphs } from '../../lib/text/format.js';
import { fence } from '../../safety/fence.js';
import { showName } from '../../safety/hidden.js';
import type { BufferedPublications } from '../buffered-publications.js';
import { CLAIMED_OVER_TEXT, type FindingChanges, type Ledger } from '../decide/ledger.js';
import type { FindingTest } from '../finding.js';
import {
  compareSeverity,
  hasEnded,
  isOpen,
  type OpenCount,
  type Severity,
  STATE_REASON_TEXTS,
} from '../finding.js';
import type { FindingToFix, KnownFinding, Lesson, Settlement } from '../known-finding.js';
import { SEVERITY_ICONS, titleLine } from './comment-text.js';

/**
 * `whole`: the review has looked at everything; `part`: the inputs or a budget left something out;
 * `cut`: the run ended early.
 */
export type ReviewExtent = 'whole' | 'part' | 'cut';

/** A run's news about the findings of a pull request, and everything that its texts are made from. */
export interface ReviewToPost {
  readonly place: { readonly repository: Repository; readonly number: number };
  /**
   * Name of the reviewer: the agent's, followed by the comment's number if a comment requested the
   * review.
   */
  readonly agent: string;
  /** Sha of the commit that the findings were held against. */
  readonly head: string;
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
  /** The reason for which nothing can be posted; left out: posting works. */
  readonly unsayable?: PostingTrouble;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** Comments start the workflow, so texts can offer `/axe` commands; left out: they do not. */
  readonly offersCommands?: boolean;
  /** Undefined where a review without findings says nothing by that. */
  readonly extent: ReviewExtent | undefined;
  /** The small line at the end, cleaned markdown; empty for none. */
  readonly footer: string;
  /** Names the author in comments on lines. */
  readonly signature: string;
  readonly now: Date;
  /** The model that raised the new findings. */
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

/** The reason for which a review is not posted, and the remedy. */
export interface PostingTrouble {
  readonly message: string;
  readonly remedy?: string;
}

type TextFrame = Pick<ReviewToPost, 'head' | 'clean' | 'offersCommands'>;

const SHORT_SHA = 7;
const MAX_PATH = 200;

/**
 * The reply in the conversation of a finding that has ended; undefined if a person resolved the
 * conversation, because its state shows that already.
 */
export function replyToEnded(
  { handle, state, why, login = '', reason = '' }: KnownFinding,
  { head, clean, offersCommands = false }: TextFrame,
): string | undefined {
  const reasonLine = titleLine(reason, clean);
  const settled = `✅ ${handle} is settled by ${head.slice(0, SHORT_SHA)}`;
  switch (why) {
    case 'resolved':
      return undefined;
    case 'fixed':
      return `${settled}: ${reasonLine}`;
    case 'suggestion':
      return `${settled}: ${STATE_REASON_TEXTS.suggestion}.`;
    case 'left':
      return `✅ ${handle} is settled: ${STATE_REASON_TEXTS.left}.`;
    case 'wrong':
      return `I take ${handle} back: ${reasonLine}`;
    case 'words':
      return `${handle} is not raised again on this line, as \`${login}\` said: ${reasonLine}`;
    default:
      return state === 'dismissed'
        ? replyToDismissal(handle, offersCommands)
        : replyToDone(handle, offersCommands);
  }
}

/** Every way of dismissing a finding gets this reply. */
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

/** The reply in the conversation of a finding that is open again, or became more severe. */
export function replyToReopened(finding: KnownFinding, { head }: TextFrame): string {
  return `${finding.handle} is ${backWords(finding, head)}.`;
}

function backWords({ by, severity }: KnownFinding, head: string): string {
  const commit = head.slice(0, SHORT_SHA);
  if (by === undefined) return `still there as of ${commit}, and ${severity}`;
  return by === 'person' ? 'open again' : `back as of ${commit}`;
}

/** The answer to `/axe reopen` where the file of the finding has left the change. */
export function replyToLeft(handle: string): string {
  return `${handle} is not open now: its file is not part of the change. If it stays closed once the file is back, write \`/axe reopen ${handle}\` again.`;
}

/** Added to a reply if the token cannot resolve the conversation. */
export const CONVERSATION_STAYS_OPEN =
  'The conversation stays open: resolving it takes `contents: write`.';

/** The reply if the model claims that a finding has ended, but only people can end it. */
export function replyToClaimedEnd(
  { finding: { handle }, how, reason }: Settlement,
  whyPeopleDecide: string,
  { head, clean }: TextFrame,
): string {
  const claim = how === 'wrong' ? 'may be wrong' : `looks done as of ${head.slice(0, SHORT_SHA)}`;
  return `${handle} ${claim}: ${titleLine(reason, clean)}\n\n${handle} stays open: ${whyPeopleDecide}.`;
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
  const entry = (finding: KnownFinding, line: string) => ({ finding, line, isOver: false });
  // Their conversations may have been opened since.
  const back = news.back.map(
    (finding) => ledger.findings.find(({ id }) => id === finding.id) ?? finding,
  );
  return [
    ...back.map((finding) => entry(finding, `- ↩️ ${name(finding)} — ${backWords(finding, head)}`)),
    ...news.claimed.map(({ finding }) =>
      entry(finding, `- ❔ ${name(finding)} — ${CLAIMED_OVER_TEXT}`),
    ),
    ...stillOpen({ ledger, news }).map((finding) =>
      entry(finding, `- ${SEVERITY_ICONS[finding.severity]} ${name(finding)} — still open`),
    ),
    ...endedToSay(news).map((finding) => ({
      ...entry(finding, `- ${endedWords(finding, head, name(finding))}`),
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
  const decider = login === undefined ? ':' : ` by ${login},`;
  return `${mark} ${name} — ${state}${decider} ${STATE_REASON_TEXTS[why]}`;
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
 * Earlier findings on the files of this pull request, for the prompt: the model can settle them, and
 * must not raise them again. Undefined if there are none.
 */
export function formatKnownFindings(ledger: Ledger): string | undefined {
  const { context } = ledger;
  // No model ends, or may repeat, the finding of a rule.
  const findings = ledger.findings.filter(({ rule }) => rule === undefined);
  const open = findings.filter(isOpen).toSorted((a, b) => compareSeverity(a.severity, b.severity));
  const gone = open.filter(({ isGone }) => isGone);
  const paths = new Set([...(context.lines?.values() ?? [])].flatMap(pathsOf));
  const lessons = context.lessons.filter(({ path }) => paths.has(path));
  const ended = findings.filter(hasEnded);
  const isDecided = (finding: KnownFinding) => ledger.isHeldBack(finding);
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
  const quotedTitle = title === '' ? '' : ` — "${title}"`;
  return `- ${handle} ${place} ${severity} ${category}${quotedTitle}${isGone ? ' (its line is gone)' : ''}`;
}

/** A finding for the prompt of a run that fixes it, with the lines that prove it. */
export function formatFindingToFix(finding: FindingToFix): string {
  const { handle, path, line, severity, category, title, body, trigger, code } = finding;
  const { evidence, suggestion, test, testText = '' } = finding;
  const text = paragraphs([
    `${handle} in ${path}:${line}${code === undefined ? '' : `\n${code}`}`,
    `${severity} · ${category} — ${title}`,
    body,
    trigger === undefined ? '' : `When: ${trigger}`,
    suggestion === undefined ? '' : `Suggested:\n\n${codeBlock(suggestion, '')}`,
    evidence.map((cited) => `- ${cited.path}:${cited.line} ${cited.code}`).join('\n'),
    test === undefined || testText === '' ? '' : formatGoal(test, testText),
  ]);
  return fence(text, { source: `finding ${handle}` });
}

function formatGoal({ path, command, saw: [withFault, withoutFault] }: FindingTest, text: string) {
  return `Your goal is that this test passes. It is run over your changes before each commit: \`${command}\`, as \`${path}\`. Now it sees "${withFault}"; it has to see "${withoutFault}". Take it in the project's style, without the line for \`/tmp/axe-saw\`, if you can change its path.\n\n${codeBlock(text, '')}`;
}

function formatLesson({ handle, path, category, title, pull }: Lesson): string {
  const quotedTitle = title === '' ? '' : ` — "${title}"`;
  return `- ${handle} ${showName(path, MAX_PATH)} ${category}${quotedTitle} (on #${pull})`;
}
