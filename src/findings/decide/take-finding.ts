import { isWrittenByPerson } from '../../github/reading/conversation.js';
import { cleanLine, quoteLine } from '../../lib/text/format.js';
import { fencedText, stripInvisible } from '../../safety/fence.js';
import { MASK } from '../../safety/redact.js';
import {
  acceptedAnswer,
  type BufferedPublications,
  type PublicationAnswer,
  type PublishRules,
  refusedAnswer,
  sizeProblem,
  TEXT_LIMITS,
} from '../buffered-publications.js';
import {
  type CommentableLines,
  correctLine,
  describePlacement,
  findFile,
  normalizeShownCode,
  type PlacedFinding,
  placeFinding,
} from '../change/diff-lines.js';
import { readSuggestion } from '../comment-parts.js';
import {
  createHandle,
  type Evidence,
  type Finding,
  isAtLeast,
  isOpen,
  isSourceFile,
  mintId,
  type Severity,
  type SeverityOverrides,
  severityOf,
} from '../finding.js';
import { roomForFindings } from '../kept-finding.js';
import type { KnownFinding, Lesson, Settlement } from '../known-finding.js';
import { isOfThisRun, isRequestedAgain, isSameFinding, whyHeldBack } from './duplicates.js';
import { checkEvidence, MAX_EVIDENCE, type ShownEvidence, type ShownFiles } from './evidence.js';
import type { Ledger } from './ledger.js';

/** A comment as the model asks for it. */
export interface CommentRequest
  extends Pick<Finding, 'path' | 'line' | 'startLine' | 'title' | 'body' | 'trigger' | 'category'>,
    Required<Pick<Finding, 'effect' | 'reach'>>,
    Partial<Pick<Finding, 'side' | 'evidence' | 'suggestion'>> {
  /** False: data or safety may be lost, and the model could not settle whether. */
  readonly sure?: boolean;
  /** The text of `line` as the model read it; wins over the number. */
  readonly code?: string;
  /** The finding that this one is, of an earlier run or of this one, as the model says. */
  readonly sameAs?: string;
  /** The model has been asked, and says that it is another one. */
  readonly isNew?: boolean;
}

/** What findings are held against. */
export interface FindingContext {
  /** The whole diff. */
  readonly lines: CommentableLines;
  /** What is new since the last review; undefined where all was looked at. */
  readonly fresh: CommentableLines | undefined;
  /** The commit of the last review, with which `fresh` begins. */
  readonly freshFrom?: string;
  /** The earlier findings of the pull request. */
  readonly ledger: Ledger;
  readonly overrides: SeverityOverrides;
  /** Whether people read a file, which is not generated or vendored. */
  isRead(path: string): boolean;
  /** What ids are minted from: no other run has it. */
  readonly run: string;
  /** What the model has been shown. */
  readonly shown: ShownFiles;
  /** Whether a path is among those that the review is about. */
  isInScope(path: string): boolean;
  /** This agent has reviewed the pull request before. */
  readonly isLaterReview: boolean;
}

/** The answer to the model, and what the run wants published after it. */
interface Taken {
  readonly answer: PublicationAnswer;
  readonly state: BufferedPublications;
  /** The model is asked whether it is one that is known. */
  readonly isAsked?: boolean;
}

interface FindingRules {
  readonly rules: PublishRules;
  /** Calls after which the model was asked. */
  readonly questioned: readonly CommentRequest[];
}

/**
 * Takes a comment among the findings of a run, or says why not. What the pull request has already
 * is not said twice: where line and title do not decide whether a finding is one that is known, the
 * model is asked, once.
 */
export function takeFinding(
  request: CommentRequest,
  before: BufferedPublications,
  scope: FindingContext,
  { rules, questioned }: FindingRules,
): Taken {
  const { lines, ledger } = scope;
  const { findings, heldBack } = before;
  const refuse = (text: string): Taken => ({
    answer: refusedAnswer(`Not accepted: ${text}`),
    state: before,
  });
  const take = (text: string, changed: Partial<BufferedPublications>): Taken => {
    return { answer: acceptedAnswer(text), state: { ...before, ...changed } };
  };
  const problem = problemOf(request);
  if (problem !== undefined) return refuse(`${problem}.`);
  const followed = correctLine(readFinding(request, before, scope), lines);
  if (typeof followed === 'string')
    return refuse(
      `line ${request.line} of ${quoteLine(request.path)} reads ${quoteLine(followed.trim())}, and no line of its diff reads as \`code\` does; send the line unchanged.`,
    );
  const evidence: ShownEvidence[] = [];
  for (const one of followed.evidence) {
    const check = checkEvidence(one, scope.shown);
    if (typeof check === 'string') return { answer: refusedAnswer(check), state: before };
    evidence.push(check);
  }
  const proof = evidence.map(({ side: _, ...one }) => one);
  const placed = checkSuggestion(placeFinding({ ...followed, evidence: proof }, lines), lines);
  const { finding } = placed;
  const stopped = stopAtGate(finding, evidence, scope, rules.minSeverity);
  if (stopped !== undefined) return refuse(stopped);
  const ask = (asked: readonly (KnownFinding | Lesson)[]): Taken => ({
    ...refuse(questionAbout(asked, placed)),
    isAsked: true,
  });
  const wasAsked = questioned.some(
    (earlier) => earlier.line === request.line && isRequestedAgain(earlier, request),
  );
  const isNew = request.isNew === true || wasAsked;
  const known = ledger.copy(findings.map((raised) => raised.finding));
  const raising = known.raise(finding, { sameAs: request.sameAs, isNew });
  switch (raising.kind) {
    case 'refused':
      return refuse(`${raising.why}.`);
    case 'ask':
      return ask(raising.of);
    case 'replaced': {
      const { id, handle, dismissedOn } = raising.finding;
      const at = findings.findIndex((raised) => raised.finding.id === id);
      const again = { ...placed, finding: { ...finding, id, handle, dismissedOn } };
      return take(answerTaken(again, at, lines, ', in place of what it said before'), {
        findings: findings.with(at, again),
      });
    }
    case 'held-back': {
      const { of } = raising;
      const text = `Held back: ${whyHeldBack(of)}. It is not posted.`;
      return take(text, { heldBack: [...heldBack, { finding, of }] });
    }
    case 'kept':
    case 'back': {
      const of = raising.kind === 'kept' ? raising.finding : raising.was;
      const meant = before.repeated.find((earlier) => earlier.of.id === of.id);
      const isSure = request.sameAs !== undefined || wasAsked;
      if (meant !== undefined && !isSure && !isSameFinding(meant.finding, finding))
        return ask([of]);
      const others = before.repeated.filter((earlier) => earlier !== meant);
      const text = isOpen(of)
        ? `${of.handle} is open already, so it is not posted again.`
        : `${of.handle} had ended (${of.state}) and is open again. Nothing is posted before the run ends.`;
      return take(text, { repeated: [...others, { of, finding }] });
    }
    case 'raised': {
      const { refusedFindings } = before;
      const why = `a run may raise ${rules.maxFindings} findings, and this would be one more; name what matters in \`submit_review\`.`;
      const room = roomForFindings(ledger.open.length);
      if (findings.length >= Math.min(rules.maxFindings, room))
        return { ...refuse(why), state: { ...before, refusedFindings: refusedFindings + 1 } };
      const { dismissedOn } = raising.finding;
      const raised = { ...placed, finding: { ...finding, dismissedOn } };
      return take(answerTaken(raised, findings.length, lines), { findings: [...findings, raised] });
    }
  }
}

function answerTaken(
  placed: PlacedFinding,
  index: number,
  lines: CommentableLines,
  replaced = '',
): string {
  const { severity } = placed.finding;
  return `Comment ${index + 1} (severity ${severity})${replaced}: ${describePlacement(placed, lines)} Nothing is posted before the run ends.`;
}

function problemOf({ path, title, body, suggestion = '' }: CommentRequest): string | undefined {
  const tooLong =
    sizeProblem('path', path, TEXT_LIMITS.pathBytes) ??
    sizeProblem('title', title, TEXT_LIMITS.findingTitleBytes) ??
    sizeProblem('body', body, TEXT_LIMITS.commentBytes);
  if (tooLong !== undefined || suggestion.trim() === '') return tooLong;
  return sizeProblem('suggestion', suggestion, TEXT_LIMITS.suggestionBytes);
}

const MAX_TRIGGER = 300;

function readFinding(
  request: CommentRequest,
  { findings, repeated, heldBack }: BufferedPublications,
  { overrides, isRead, run, ledger }: FindingContext,
): Finding {
  const { path, line, startLine, side = 'RIGHT', title, body, trigger = '', code } = request;
  const { category, effect, reach, evidence = [], sure = true } = request;
  const suggestion = readSuggestion(request.suggestion, path);
  const isInSource = isSourceFile(path, isRead(path));
  const id = mintId(run, findings.length + repeated.length + heldBack.length + 1);
  const taken = new Set(
    [...ledger.findings, ...findings.map(({ finding }) => finding)].map((one) => one.handle),
  );
  return {
    id,
    handle: createHandle(id, (handle) => taken.has(handle)),
    agent: ledger.context.agent,
    state: 'open',
    path,
    line,
    side,
    title: cleanLine(title, TEXT_LIMITS.findingTitleBytes),
    body: body.trim(),
    category,
    effect,
    reach,
    severity: severityOf({ effect, reach, category, isInSource, overrides }),
    confidence: sure ? 'likely' : 'unsure',
    evidence: evidence.slice(0, MAX_EVIDENCE),
    trigger: trigger.trim() === '' ? undefined : cleanLine(trigger, MAX_TRIGGER),
    startLine,
    suggestion,
    code,
  };
}

function questionAbout(
  asked: readonly (KnownFinding | Lesson)[],
  { finding }: PlacedFinding,
): string {
  const listed = asked.slice(0, MAX_ASKED).map((one) => {
    const isHere = !('pull' in one);
    const state = isHere ? stateInQuestion(one) : `was dismissed on #${one.pull}`;
    const place =
      isHere && one.path === finding.path ? ` at line ${one.line}` : ` in ${quoteLine(one.path)}`;
    const title = one.title === '' ? one.category : `“${one.title}”`;
    return `${one.handle} ${state}${place}: ${title}`;
  });
  const [first] = asked;
  return `not yet. ${listed.join('; ')}. If yours is the same, call again with \`same_as: "${first?.handle ?? ''}"\`; if it is another one, with \`new: true\`.`;
}

function stateInQuestion(known: KnownFinding): string {
  return isOfThisRun(known) ? 'was raised in this run' : `is ${known.state}`;
}

const MAX_ASKED = 5;

/**
 * What its lines read already is no suggestion. Lines that were shown otherwise than they are, or
 * with something in them that nobody sees, get none to commit.
 */
function checkSuggestion(
  { finding, placement }: PlacedFinding,
  lines: CommentableLines,
): PlacedFinding {
  if (placement.kind !== 'line' || !placement.isExact || placement.side === 'LEFT')
    return { finding, placement };
  const { line, startLine = line } = placement;
  const right = findFile(lines, finding.path)?.RIGHT;
  const current = Array.from({ length: line - startLine + 1 }, (_, index) =>
    (right?.get(startLine + index)?.text ?? '').replace(/\r$/, ''),
  ).join('\n');
  if (finding.suggestion === current)
    return { finding: { ...finding, suggestion: undefined }, placement };
  // A mask can be the model's view of a secret, and must not be committed in its place.
  const isExact =
    current === fencedText(current) &&
    current === stripInvisible(current) &&
    !finding.suggestion?.includes(MASK);
  return { finding, placement: { ...placement, isExact } };
}

/** Why a finding is not taken, for the model; undefined where it may be. No model is asked. */
function stopAtGate(
  finding: Finding,
  evidence: readonly ShownEvidence[],
  scope: FindingContext,
  minSeverity: Severity,
): string | undefined {
  const { path, line, severity, title, body, trigger = '' } = finding;
  if (!scope.isInScope(path))
    return `${quoteLine(path)} is outside the paths that this review is about. Leave it out.`;
  if (trigger.trim() === '' && (asks(title) || asksOnly(body)))
    return 'this asks the author to check something and names no fault. Say what happens, and with which `trigger`, or leave it out.';
  if (![finding, ...evidence].some((place) => isChanged(scope.lines, place)))
    return `the change does not touch line ${line} of ${quoteLine(path)}. If the change now relies on it, call again with the changed line in \`evidence\`. Otherwise leave it out.`;
  if (!isAtLeast(severity, minSeverity))
    return `its effect and reach make it \`${severity}\`, and this review reports \`${minSeverity}\` and worse. Leave it out.`;
  if (severity === 'nit' && scope.isLaterReview)
    return 'its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.';
  return undefined;
}

/** Nobody can act on "make sure that it works": it says that the reviewer has not looked. */
const ASKS =
  /^(?:(?:please|maybe|perhaps|you|we|i|they|should|could|may|might|want|would|need|recommend|suggest|it|is|be|worth|good|better|to)[\s,]+){0,6}(?:verify(?:ing)?|ensur(?:e|ing)|mak(?:e|ing) sure|consider(?:ing)?|double[- ]check(?:ing)?|check (?:if|that|whether)|confirm(?:ing)?)\b/i;

function asks(text: string): boolean {
  return ASKS.test(text.replace(/^[\s*_`>#-]+/, ''));
}

function asksOnly(body: string): boolean {
  const sentences = body.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 0 && sentences.every(asks);
}

/**
 * Whether the change adds or removes one of the lines. A changed file whose lines are not in the
 * diff, since it is binary, too large or only renamed, counts as changed everywhere.
 */
function isChanged(
  lines: CommentableLines,
  { path, line, startLine = line, side }: Pick<Finding, 'path' | 'line' | 'startLine' | 'side'>,
): boolean {
  const file = lines.get(path);
  if (file === undefined) return false;
  if (file.LEFT.size + file.RIGHT.size === 0) return true;
  const [first, last] = [Math.min(startLine, line), Math.max(startLine, line)];
  for (const [number, { other }] of file[side])
    if (other === undefined && number >= first && number <= last) return true;
  return false;
}

/** The end of a finding as the model asks for it. */
export interface SettleRequest {
  /** Its name, `FQ7K2`. */
  readonly finding: string;
  readonly how: Settlement['how'];
  readonly reason: string;
  /** The lines that fix it. */
  readonly evidence: readonly Evidence[];
  /** Login of the person who dismissed it in words. */
  readonly by?: string;
}

const MAX_REASON = 300;

/**
 * Takes the end of an earlier finding, or says why not. A fix needs a line that has changed since
 * the finding was posted, unless its own line is gone, and a dismissal a person who has written in its conversation: neither a
 * wish of the model's nor a sentence in a diff closes anything.
 */
export function takeSettlement(
  request: SettleRequest,
  settlements: readonly Settlement[],
  scope: FindingContext,
): { readonly answer: PublicationAnswer; readonly settlements: readonly Settlement[] } {
  const refuse = (refusal: string) => ({
    answer: refusedAnswer(`Not accepted: ${refusal}`),
    settlements,
  });
  const finding = scope.ledger.find(request.finding);
  if (finding === undefined || !isOpen(finding)) {
    const names = scope.ledger.open.map(({ handle }) => handle).join(', ');
    const open = names === '' ? 'there are none' : `these are ${names}`;
    return refuse(`${quoteLine(request.finding)} is not one of your open findings; ${open}.`);
  }
  if (finding.rule !== undefined)
    return refuse(
      `${finding.handle} was raised by a rule, which ends it when nothing is hidden there any more. Only people can dismiss it.`,
    );
  const reason = cleanLine(request.reason, MAX_REASON);
  if (reason === '') return refuse('`reason` is empty; say in one sentence what ends the finding.');
  const problem = problemOfEnd(request, finding, scope);
  if (problem !== undefined) return refuse(problem);
  const by = request.how === 'dismissed' ? (request.by ?? '').replace(/^@/, '') : '';
  const settlement = { finding, how: request.how, reason, evidence: request.evidence, by };
  const others = settlements.filter((one) => one.finding.id !== finding.id);
  const again = others.length < settlements.length ? ', in place of what you said before' : '';
  const text = `${finding.handle} is ended (${request.how})${again}. Nothing is posted before the run ends.`;
  return { answer: acceptedAnswer(text), settlements: [...others, settlement] };
}

function problemOfEnd(
  { how, evidence, by = '' }: SettleRequest,
  finding: KnownFinding,
  scope: FindingContext,
): string | undefined {
  switch (how) {
    case 'wrong':
      return undefined;
    case 'dismissed': {
      const login = by.replace(/^@/, '').toLowerCase();
      const people = (finding.thread?.replies ?? [])
        .filter(isWrittenByPerson)
        .map(({ author }) => author.login);
      return people.some((one) => one.toLowerCase() === login && scope.ledger.context.isWriter(one))
        ? undefined
        : `${login === '' ? '`by` names nobody' : `${quoteLine(by)} has not written in the conversation of ${finding.handle}`}; only a person who answered there can have dismissed it.`;
    }
    case 'fixed':
      return finding.isGone || evidence.some((one) => isChangedSince(one, finding, scope))
        ? undefined
        : `name in \`evidence\` a line that changed since ${finding.handle} was posted and that fixes it, copied as it is.`;
  }
}

/**
 * Whether a line was added after the finding was posted: it is new in the diff, and not among what
 * was shown with it. The last review may have overlooked it: only for a finding of that review what
 * is new since then is all. Or whether it was taken out since the last review; what the whole diff
 * has taken out may have been out before.
 */
function isChangedSince(
  evidence: Evidence,
  finding: KnownFinding,
  { lines, fresh, freshFrom }: FindingContext,
): boolean {
  if (fresh !== undefined && isChangedIn(fresh, evidence, finding, { hasRemoved: true }))
    return true;
  const isOlder = freshFrom !== undefined && finding.head !== freshFrom;
  return (
    (fresh === undefined || isOlder) && isChangedIn(lines, evidence, finding, { hasRemoved: false })
  );
}

function isChangedIn(
  changed: CommentableLines,
  { path, code }: Evidence,
  { thread }: KnownFinding,
  { hasRemoved }: { readonly hasRemoved: boolean },
): boolean {
  const file = findFile(changed, path);
  const isQuoted = (text: string, mark: RegExp) =>
    text !== '' &&
    [code, code.replace(mark, '')].map(normalizeShownCode).some((one) => one === text);
  if (file === undefined) return false;
  const hunk = (thread?.hunk ?? '').split(/\r?\n/).filter((line) => !line.startsWith('-'));
  const before = new Set(hunk.map((line) => normalizeShownCode(line.slice(1))));
  const there = [...file.RIGHT.values()].map((line) => ({
    ...line,
    text: normalizeShownCode(line.text),
  }));
  const isAdded = there.some(
    ({ text, other }) => other === undefined && isQuoted(text, /^[+]/) && !before.has(text),
  );
  if (isAdded || !hasRemoved) return isAdded;
  const kept = new Set(there.map(({ text }) => text));
  return [...file.LEFT.values()]
    .map(({ text, other }) => ({ text: normalizeShownCode(text), other }))
    .some(({ text, other }) => other === undefined && isQuoted(text, /^-/) && !kept.has(text));
}
