import type { Rights } from '../../event/trust.js';
import type { PullRequestConversation } from '../../github/reading/conversation.js';
import { hiddenIn } from '../../safety/hidden.js';
import type { BufferedPublications, HeldBackFinding } from '../buffered-publications.js';
import {
  type CommentableLines,
  lineFingerprint,
  type PlacedFinding,
  placeOnLines,
  showsNoLine,
} from '../change/diff-lines.js';
import { hasNewAnswers, type KeptChecks, keepRows, withOverrule } from '../check-rows.js';
import {
  compareSeverity,
  type Finding,
  type FindingActor,
  type FindingTest,
  hasEnded,
  isBlocking,
  isOpen,
  type Severity,
  type StateReason,
  worseSeverity,
} from '../finding.js';
import type { PullRecord } from '../kept-finding.js';
import {
  type DuplicateClaim,
  isNews,
  isUnsaid,
  type KnownFinding,
  type Lesson,
  type Settlement,
} from '../known-finding.js';
import {
  findDuplicate,
  findLineNow,
  isHeldBackByPerson,
  isLineGone,
  isNeverHeldBack,
  isOfThisRun,
  isOnFindingLine,
  isSuggestionCommitted,
  lessonOfLine,
  lessonsLike,
} from './duplicates.js';
import { keepFinding, type RecordParts } from './keep-finding.js';

/** Texts of files by path. */
export type HeadFiles = ReadonlyMap<string, string | null | undefined>;

/** Everything that the findings of a pull request are held against. */
export interface LedgerContext {
  /** Each agent has a ledger of its own. */
  readonly agent: string;
  /**
   * The whole diff; undefined where it is not known: then findings are where they were said to be.
   */
  readonly lines: CommentableLines | undefined;
  /** The commit that `lines` lead to. */
  readonly head?: string;
  /**
   * Files of the head in which lines are that the diff does not show; null: there is no such file,
   * undefined: it could not be read. Left out: nobody has asked, and the diff decides.
   */
  readonly headFiles?: HeadFiles;
  /** The diff has every file of the change; left out: GitHub might list only a part of them. */
  readonly hasAllFiles?: boolean;
  readonly isFork: boolean;
  /** The rights of the run. */
  readonly rights: Rights;
  /** The event is a push, by somebody with write access. */
  readonly isPushByWriter: boolean;
  /** From this severity on a finding blocks: the model's word alone does not end it. */
  readonly gate: Severity;
  /** The run keeps a state; otherwise the newest review holds the record. */
  readonly keepsState?: boolean;
  /** Undefined where the state knows nothing of the pull request. */
  readonly record: PullRecord | undefined;
  /** The author of the pull request, who can open and resolve conversations, has write access. */
  readonly authorMayWrite?: boolean;
  readonly lessons: readonly Lesson[];
  isWriter(login: string): boolean;
  /** The permission of an account could not be read; left out: of none. */
  hasUnknownAccess?(login: string): boolean;
}

/** @internal */
export type RaiseResult =
  | { readonly kind: 'raised'; readonly finding: KnownFinding }
  /** It is open already. */
  | { readonly kind: 'kept'; readonly finding: KnownFinding }
  /** This run has raised it already. */
  | { readonly kind: 'replaced'; readonly finding: KnownFinding }
  /** It had ended, or is worse than it was, or on a line that changed. */
  | { readonly kind: 'back'; readonly finding: KnownFinding; readonly was: KnownFinding }
  /** A person decided. */
  | { readonly kind: 'held-back'; readonly of: KnownFinding | Lesson }
  /** The model has to say whether it is one of these. */
  | { readonly kind: 'ask'; readonly of: readonly (KnownFinding | Lesson)[] }
  | { readonly kind: 'refused'; readonly why: string };

interface Change {
  readonly by: FindingActor | undefined;
  readonly login?: string;
  readonly why?: StateReason;
  readonly reason?: string;
}

/**
 * The findings of one pull request and agent, and the only code that changes their state. What is
 * kept, and where each rule comes from, is in `docs/internals/findings.md`.
 */
export class Ledger {
  readonly #findings: KnownFinding[];
  #checks: KeptChecks | undefined;

  constructor(
    readonly context: LedgerContext,
    /**
     * Undefined where GitHub could not be asked: what the state knows is then the least that is
     * open.
     */
    readonly seen: PullRequestConversation | undefined,
    findings: readonly KnownFinding[],
    /** The rest of the record. */
    readonly heard: Omit<PullRecord, 'findings'> = { heard: [], review: 0 },
  ) {
    this.#findings = [...findings];
    this.#checks = heard.checks;
  }

  /** The checks as they were said last; undefined if none was asked. */
  get checks(): KeptChecks | undefined {
    return this.#checks;
  }

  get findings(): readonly KnownFinding[] {
    return this.#findings;
  }

  /** More findings can be open than are known. */
  get isCut(): boolean {
    return this.heard.isCut === true;
  }

  /** A ledger to try something on, with findings that this run has raised. */
  copy(raised: readonly Finding[] = []): Ledger {
    const findings = [...this.#findings, ...raised.map(newFinding)];
    const heard = { ...this.heard, checks: this.#checks };
    return new Ledger(this.context, this.seen, findings, heard);
  }

  /** The open ones, worst first. */
  get open(): readonly KnownFinding[] {
    return this.#findings
      .filter(isOpen)
      .toSorted((a, b) => compareSeverity(a.severity, b.severity));
  }

  byId(id: string): KnownFinding | undefined {
    return this.#findings.find((finding) => finding.id === id);
  }

  find(name: string): KnownFinding | undefined {
    const handle = name.trim().toUpperCase();
    return this.#findings.find((finding) => finding.handle === handle);
  }

  /** Takes a finding of this run, unless it is one that is known. */
  raise(draft: Finding, claim: DuplicateClaim = {}): RaiseResult {
    if (draft.rule !== undefined) return this.#raiseByRule(draft);
    const { lines, rights, lessons } = this.context;
    const lesson = lessons.find(({ handle }) => handle === claim.sameAs?.trim().toUpperCase());
    // `same_as` names a lesson or a finding; one of this pull request goes first.
    const findingClaim =
      lesson === undefined || this.find(lesson.handle) !== undefined ? claim : {};
    // A dismissed finding of a rule must not hide another fault on its line.
    const byModels = this.#findings.filter(({ rule }) => rule === undefined);
    const same = findDuplicate(draft, findingClaim, byModels, lines);
    if (same.kind === 'same')
      return isOfThisRun(same.of)
        ? { kind: 'replaced', finding: same.of }
        : this.#raiseAgain(same.of, draft);
    const before = lesson ?? lessonOfLine(draft, lessons);
    if (before !== undefined && rights.ends === 'word' && !isNeverHeldBack(draft))
      return { kind: 'held-back', of: before };
    const like = before === undefined && claim.isNew !== true ? lessonsLike(draft, lessons) : [];
    if (same.kind === 'refused') return same;
    const candidates = [...(same.kind === 'ask' ? same.of : []), ...like];
    if (candidates.length > 0) return { kind: 'ask', of: candidates };
    return this.#add({ ...draft, dismissedOn: before?.pull ?? draft.dismissedOn });
  }

  /** Takes a finding of a rule, unless it is open or a person decided about it. */
  #raiseByRule(draft: Finding): RaiseResult {
    const { lines, lessons } = this.context;
    const { rule, path } = draft;
    const earlier = this.#findings.find(
      (known) => known.rule === rule && known.path === path && isOnFindingLine(known, draft, lines),
    );
    if (earlier === undefined)
      return this.#add({ ...draft, dismissedOn: lessonOfLine(draft, lessons)?.pull });
    if (!hasEnded(earlier)) return { kind: 'kept', finding: earlier };

    const isClosedByPerson = earlier.by === 'person' && !earlier.gone;
    const isDecided = earlier.state === 'dismissed' || isClosedByPerson;
    if (isDecided) return { kind: 'held-back', of: earlier };
    const change = { by: 'program', why: 'reverted' } as const;
    const finding = this.#put(openFinding({ ...earlier, line: draft.line }, change));
    return { kind: 'back', finding, was: earlier };
  }

  /** A person has decided about it; for a run that began before a push no line is gone. */
  isHeldBack(finding: KnownFinding): boolean {
    return isHeldBackByPerson(finding, isBehind(this) ? undefined : this.context.lines);
  }

  #add(draft: Finding): RaiseResult {
    const finding = newFinding(draft);
    this.#findings.push(finding);
    return { kind: 'raised', finding };
  }

  #raiseAgain(earlier: KnownFinding, draft: Finding): RaiseResult {
    if (this.isHeldBack(earlier)) return { kind: 'held-back', of: earlier };
    // Its own line decides, not the one that the model names: `same_as` moves no finding whose line
    // is still there, or may be.
    const { lines } = this.context;
    const lineNow = findLineNow(earlier, lines);
    const isUnseen = draft.path === earlier.path && !isLineGone(earlier, lines);
    const isThere = lineNow !== undefined || isUnseen;
    const { path, line, side, startLine, code } = isThere
      ? { ...earlier, line: lineNow ?? earlier.line }
      : draft;
    // A word of the model never makes a finding milder: that would end it by the back door.
    const severity = worseSeverity(draft.severity, earlier.severity);
    const key = isThere ? earlier.key : lineFingerprint(code ?? '');
    const place = { path, line, side, startLine, code, key, isGone: false };
    const raised = { ...earlier, ...place, severity };
    const isChanged = severity !== earlier.severity || !isThere;
    if (isOpen(earlier) && !isChanged) return { kind: 'kept', finding: this.#put(raised) };
    const by = isOpen(earlier) ? undefined : 'model';
    return { kind: 'back', finding: this.#put(openFinding(raised, { by })), was: earlier };
  }

  /** Ends a finding by the model's word, or says why not; the evidence was looked at before. */
  end(settlement: Settlement): KnownFinding | string {
    const { how, reason, by: login, isAgreed = false, byTest } = settlement;
    const { handle } = settlement.finding;
    const finding = this.find(handle);
    if (finding === undefined || hasEnded(finding)) return `${handle} is not open`;
    // A model ends what its run knew: not what was decided, or is on another line, since.
    if (how !== 'dismissed' && finding.rev !== settlement.finding.rev)
      return `${handle} is not as it was`;
    if (finding.rule !== undefined) return `no model ends ${handle}`;
    const whyPeople = this.whyPeopleDecide(settlement);
    if (whyPeople !== undefined) return `${handle} stays open: ${whyPeople}`;
    if (how === 'dismissed')
      return this.#end(finding, 'dismissed', { by: 'person', login, why: 'words', reason });
    if (byTest === 'alone' && this.context.rights.demonstrates === 'alone')
      return this.#end(finding, 'settled', { by: 'program', why: 'fixed', reason });
    const needsLook = this.context.rights.ends === 'look' || this.isBlocking(finding);
    if ((needsLook || byTest !== undefined) && !isAgreed)
      return 'a second check did not confirm its end';
    return this.#end(finding, 'settled', { by: 'model', why: how, reason });
  }

  /** Ends the findings whose suggestion is in what was pushed, by somebody whose commit decides. */
  endCommitted(pushed: CommentableLines): void {
    const { isPushByWriter, rights, lines } = this.context;
    const by = isPushByWriter ? 'person' : 'program';
    // No suggestion ends what a person reopened.
    const endable = this.open.filter(({ isGone, by: openedBy }) => isGone && openedBy !== 'person');
    for (const finding of endable) {
      const isEnd = isPushByWriter || (rights.ends === 'word' && !this.isBlocking(finding));
      if (
        isEnd &&
        isSuggestionCommitted(
          finding.suggestion ?? '',
          lines?.get(finding.path),
          pushed.get(finding.path),
        )
      )
        this.#end(finding, 'settled', { by, why: 'suggestion' });
    }
  }

  /** Settles the findings of rules that find nothing at their place any more. */
  endRepaired(): void {
    for (const finding of this.#findings)
      if (finding.rule !== undefined && !hasEnded(finding) && this.#isRepaired(finding))
        this.#end(finding, 'settled', { by: 'program', why: 'fixed', reason: REPAIRED });
  }

  #isRepaired({ rule, path, key, isGone }: KnownFinding): boolean {
    const { lines, hasAllFiles = false } = this.context;
    const file = lines?.get(path);
    if (file === undefined) return lines !== undefined && hasAllFiles;
    const isDeleted = file.LEFT.size > 0 && file.RIGHT.size === 0;
    if (rule === 'hidden-name') return isDeleted || hiddenIn(path) === undefined;
    if (showsNoLine(file)) return false;
    const isHidden = [...file.RIGHT.values()].some(
      ({ text, other }) =>
        other === undefined &&
        lineFingerprint(text) === key &&
        hiddenIn(text.replace(/\r$/, '')) !== undefined,
    );
    return isGone || !isHidden;
  }

  /** Why people alone decide about this end, as half a sentence; undefined if the run can. */
  whyPeopleDecide({ how }: Settlement): string | undefined {
    const { ends, dismisses } = this.context.rights;
    if (ends === 'people') return 'only people end findings on a fork';
    return how === 'dismissed' && !dismisses ? ONLY_PEOPLE_DISMISS : undefined;
  }

  /** An end of the finding takes more than the model's word. */
  isBlocking({ severity, confidence }: Pick<Finding, 'severity' | 'confidence'>): boolean {
    return isBlocking({ severity, confidence }, this.context.gate);
  }

  #end(finding: KnownFinding, state: 'settled' | 'dismissed', change: Change): KnownFinding {
    const { lines } = this.context;
    // The change might have the file under another name: a run that began before a push cannot tell.
    const hasFile = lines?.has(finding.path) === true;
    const gone = finding.isGone || (hasFile && isLineGone(finding, lines));
    return this.#put({ ...endFinding(finding, state, change), gone });
  }

  /** Notes that we have resolved, or opened, the conversation of a finding. */
  noteResolved(id: string, resolvedBy: string | undefined): void {
    const finding = this.byId(id);
    if (finding !== undefined) this.#put({ ...finding, saw: { ...finding.saw, resolvedBy } });
  }

  /** Notes the test that shows a finding, if it is still open. */
  noteTest(id: string, test: FindingTest): void {
    const finding = this.byId(id);
    if (finding !== undefined && isOpen(finding)) this.#put({ ...finding, test });
  }

  noteChecks(checks: KeptChecks): void {
    this.#checks = checks;
  }

  /** The record as it is now. */
  record(parts: RecordParts): PullRecord {
    const findings = this.#findings.map((finding) =>
      keepFinding(finding, this.context.lines, parts),
    );
    return { ...this.heard, checks: this.#checks, findings };
  }

  #put(finding: KnownFinding): KnownFinding {
    this.#findings[this.#findings.findIndex(({ id }) => id === finding.id)] = finding;
    return finding;
  }
}

/** Somebody has pushed since the change was read: it cannot tell that a line is gone. */
export function isBehind({ seen, context: { head } }: Pick<Ledger, 'seen' | 'context'>): boolean {
  return seen !== undefined && head !== undefined && seen.head !== head;
}

/** Half a sentence for people. */
const ONLY_PEOPLE_DISMISS =
  'only people dismiss findings once a run has read words of people without write access';

/** Why a finding of a rule has ended, for people. */
const REPAIRED = 'nothing is hidden there any more';

/** A finding of this run. */
function newFinding(draft: Finding): KnownFinding {
  return {
    ...draft,
    key: lineFingerprint(draft.code ?? ''),
    rev: 1,
    isMute: false,
    toldRev: 0,
    gone: false,
    isGone: false,
    head: '',
    words: 'guest',
    saw: { down: [] },
    decided: Number.POSITIVE_INFINITY,
    thread: undefined,
    stored: undefined,
  };
}

/** A finding that has ended. */
export function endFinding(
  finding: KnownFinding,
  state: 'settled' | 'dismissed',
  change: Change,
): KnownFinding {
  return { ...finding, ...NEXT, test: undefined, rev: finding.rev + 1, ...change, state };
}

/** Fields that each decision resets. */
const NEXT = {
  why: undefined,
  login: undefined,
  reason: undefined,
  gone: false,
  isMute: false,
  decided: Number.POSITIVE_INFINITY,
} as const;

/** A finding that is open, or open again. */
export function openFinding(finding: KnownFinding, change: Change): KnownFinding {
  return { ...finding, ...NEXT, rev: finding.rev + 1, ...change, state: 'open' };
}

/** The changes that a run has made to the findings of its pull request. */
export interface FindingChanges {
  /** Raised by this run. */
  readonly fresh: readonly PlacedFinding[];
  /** Raised by this run, and open already. */
  readonly kept: readonly KnownFinding[];
  readonly heldBack: readonly HeldBackFinding[];
  /** Ended, and no text of ours says so yet. */
  readonly ended: readonly KnownFinding[];
  /** Open again, worse or on another line, and no text of ours says so yet. */
  readonly back: readonly KnownFinding[];
  /** The model says that they are over, and is not the one to decide. */
  readonly claimed: readonly Settlement[];
  /** Answers on checks differ from those that were said last; left out: nobody knows. */
  readonly hasNewAnswers?: boolean;
}

/**
 * Puts what a run wants to the ledger as it is now: between the reading at its beginning and this
 * one people may have answered, and another run may have posted. `knew` are the ids of the findings
 * that the model knew, and `pushed` is what is new since the last review; undefined where
 * nobody knows.
 */
export function applyToLedger(
  ledger: Ledger,
  buffered: BufferedPublications,
  knew: ReadonlySet<string>,
  pushed: CommentableLines | undefined,
): FindingChanges {
  if (pushed !== undefined) ledger.endCommitted(pushed);
  ledger.endRepaired();
  for (const { id, test } of buffered.shownNow ?? []) ledger.noteTest(id, test);
  // A dismissal counts first: the run that passes it on raises nothing on that line, either.
  const isDismissal = ({ how }: Settlement) => how === 'dismissed';
  const claimed = endAll(ledger, buffered.settlements.filter(isDismissal));
  const keptById = new Map<string, KnownFinding>();
  const heldBack = [...buffered.heldBack];
  const fresh: PlacedFinding[] = [];
  // The model also knows what it has raised itself.
  const known = new Set(knew);
  for (const { of, finding } of buffered.repeated) {
    const raising = ledger.raise(finding, { sameAs: of.handle });
    if (raising.kind === 'kept') keptById.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding, of: raising.of });
  }
  for (const placed of buffered.findings) {
    const raising = ledger.raise(placed.finding, { isNew: true, knew: known });
    if (raising.kind === 'raised') {
      const { id, dismissedOn } = raising.finding;
      fresh.push({ ...placed, finding: { ...placed.finding, dismissedOn } });
      known.add(id);
    }
    if (raising.kind === 'kept') keptById.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding: placed.finding, of: raising.of });
  }
  const others = buffered.settlements.filter((settlement) => !isDismissal(settlement));
  claimed.push(...endAll(ledger, others));
  fresh.push(...placeUnsaid(ledger));
  const freshIds = new Set(fresh.map(({ finding }) => finding.id));
  const untold = ledger.findings.filter((finding) => isNews(finding) && !isUnsaid(finding));
  return {
    ...noteAnswers(ledger, buffered),
    fresh,
    kept: [...keptById.values()].filter(({ id }) => !freshIds.has(id)),
    heldBack,
    ended: untold.filter(hasEnded),
    back: untold.filter(isOpen),
    claimed,
  };
}

/** Ends findings by the model's word. Returns the settlements that are left to people. */
function endAll(ledger: Ledger, settlements: readonly Settlement[]): Settlement[] {
  return settlements.filter((settlement) => {
    const isStill = ledger.open.some(({ id }) => id === settlement.finding.id);
    const isPeoples = ledger.whyPeopleDecide(settlement) !== undefined;
    const end = ledger.end(settlement);
    return typeof end === 'string' && isStill && isPeoples;
  });
}

/** Keeps the answers on checks, and a person's word on one. */
function noteAnswers(
  ledger: Ledger,
  { checks, overruled }: BufferedPublications,
): Pick<FindingChanges, 'hasNewAnswers'> {
  const { checks: before, context } = ledger;
  if (overruled !== undefined) {
    const after = withOverrule(before, overruled.name, overruled.word);
    if (after !== undefined) ledger.noteChecks(after);
  }
  if (checks === undefined) return {};
  ledger.noteChecks(keepRows(checks, before, context.head ?? ''));
  return { hasNewAnswers: checks.length > 0 && hasNewAnswers(checks, before) };
}

/** The open findings that an earlier run raised and no text says, in their places. */
function placeUnsaid({ seen, findings, context: { lines } }: Ledger): readonly PlacedFinding[] {
  // Without the change nobody knows where to say it, and without the texts whether it was said.
  if (lines === undefined || seen === undefined) return [];
  return findings.flatMap((known): readonly PlacedFinding[] => {
    const { stored, line, key, isGone } = known;
    if (stored === undefined || !isOpen(known) || !isUnsaid(known)) return [];
    // Code around a line that moved can be different: a range or a suggestion might not fit.
    const isMoved = line !== stored.line;
    const finding = isMoved ? { ...known, startLine: undefined, suggestion: undefined } : known;
    const isPlaced = !isGone && key !== '';
    const nowhere = { kind: 'body', reason: isGone ? 'outside' : 'unclear' } as const;
    return [{ finding, placement: isPlaced ? placeOnLines(finding, lines) : nowhere }];
  });
}

/**
 * Raises what is new in a run that could not read again what people and other runs have done since
 * it began: ends, and findings that were known before, wait for the next run.
 */
export function raiseAlone(
  ledger: Ledger,
  buffered: Pick<BufferedPublications, 'findings'>,
  knew: ReadonlySet<string>,
): FindingChanges {
  const attempt = ledger.copy();
  const known = new Set(knew);
  const fresh: PlacedFinding[] = [];
  for (const placed of buffered.findings) {
    const claim = { isNew: true, knew: known };
    if (attempt.raise(placed.finding, claim).kind !== 'raised') continue;
    const raising = ledger.raise(placed.finding, claim);
    if (raising.kind !== 'raised') continue;
    const { id, dismissedOn } = raising.finding;
    fresh.push({ ...placed, finding: { ...placed.finding, dismissedOn } });
    known.add(id);
  }
  return { fresh, kept: [], heldBack: [], ended: [], back: [], claimed: [] };
}

/** The text on a finding that the model takes for over and cannot end. */
export const CLAIMED_OVER_TEXT = 'said to be over; a person has to resolve it';
