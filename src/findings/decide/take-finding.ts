import { cleanLine, quoteLine } from '../../lib/text/format.js';
import {
  acceptedAnswer,
  type BufferedPublications,
  type PublicationAnswer,
  type PublishRules,
  type RefusedFinding,
  refusedAnswer,
  sizeProblem,
  TEXT_LIMITS,
} from '../buffered-publications.js';
import {
  type CommentableLines,
  describePlacement,
  isInDiff,
  type PlacedFinding,
  placeOnLines,
} from '../change/diff-lines.js';
import { readQuote } from '../change/quote.js';
import { readSuggestion } from '../comment-parts.js';
import {
  createHandle,
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
import type { KnownFinding, Lesson } from '../known-finding.js';
import { type Anchor, findAnchor } from './anchor.js';
import { isOfThisRun, isRequestedAgain, isSameFinding, whyHeldBack } from './duplicates.js';
import { checkEvidence, MAX_EVIDENCE, type ShownEvidence, type ShownFiles } from './evidence.js';
import type { Ledger } from './ledger.js';
import { checkSuggestion } from './suggestion.js';

/** A comment as the model requests it. */
export interface CommentRequest
  extends Pick<Finding, 'path' | 'line' | 'startLine' | 'title' | 'body' | 'trigger' | 'category'>,
    Required<Pick<Finding, 'effect' | 'reach'>>,
    Partial<Pick<Finding, 'side' | 'evidence' | 'suggestion'>> {
  /** False: data or safety might be at risk, and the model could not find out. */
  readonly sure?: boolean;
  /** The text of the lines as the model read them. */
  readonly code?: string;
  /**
   * The handle of the earlier finding, from any run, that this one repeats according to the model.
   */
  readonly sameAs?: string;
  /** The model was asked, and says that the finding is a new one. */
  readonly isNew?: boolean;
}

/** The facts by which findings are checked. */
export interface FindingContext {
  /** The whole diff. */
  readonly lines: CommentableLines;
  /** The changes since the last review; undefined if the review covers the whole diff. */
  readonly fresh: CommentableLines | undefined;
  /** The commit of the last review, from which `fresh` is computed. */
  readonly freshFrom?: string;
  /** The earlier findings of the pull request. */
  readonly ledger: Ledger;
  readonly overrides: SeverityOverrides;
  /** False for generated and vendored files, which nobody reads. */
  isRead(path: string): boolean;
  /** Unique to the run; ids of findings are minted from it. */
  readonly run: string;
  /** The lines that the model has been shown. */
  readonly shown: ShownFiles;
  /** True for the paths that the review covers. */
  isInScope(path: string): boolean;
  /** Ids of findings whose test still fails; left out: none. */
  readonly failing?: ReadonlySet<string>;
  /** This agent has reviewed the pull request before. */
  readonly isLaterReview: boolean;
}

/** The answer to the model, and the publications after it. */
interface Taken {
  readonly answer: PublicationAnswer;
  readonly state: BufferedPublications;
  /** The subject of the question, if the answer is one. */
  readonly asked?: Question['about'];
}

interface FindingRules {
  readonly rules: PublishRules;
  /** Calls that were answered with a question. */
  readonly questioned: readonly Question[];
}

/** A call that was answered with a question: about place and evidence, or about a known finding. */
export interface Question {
  readonly about: 'place' | 'sameness';
  readonly request: CommentRequest;
}

/**
 * Accepts a comment as a finding of the run, or says why not. The model is asked once if place or
 * evidence is in doubt, and once if line and title do not decide whether the finding is known. An
 * unanswered question costs the finding its line or its certainty, but the finding is never lost.
 */
export function takeFinding(
  request: CommentRequest,
  before: BufferedPublications,
  scope: FindingContext,
  { rules, questioned }: FindingRules,
): Taken {
  const { lines, ledger } = scope;
  const { findings, heldBack } = before;
  const refuse = (code: RefusedFinding['code'], explanation: string, least?: Severity): Taken => ({
    answer: refusedAnswer(`Not accepted: ${explanation}`),
    state: withRefused(before, request, { code, least }),
  });
  const problem = problemOf(request);
  if (problem !== undefined) return refuse('size', `${problem}.`);
  const located = locate(readFinding(request, before, scope), scope);
  const { doubts, placed, evidence } = located;
  const isPlaceAsked = questioned.some((question) => isPlaceQuestion(question, request));
  if (doubts.length > 0 && !isPlaceAsked) return ask(doubts.join(' '), 'place', before);
  if (placed === undefined) return refuse('unseen', doubts.join(' '));
  const { finding } = placed;
  const preexisting = before.preexisting.filter((earlier) => !isSaidAgain(earlier, finding));
  const take = (text: string, changed: Partial<BufferedPublications>): Taken => {
    const refusedFindings = before.refusedFindings.filter(
      (refused) => !isRequestedAgain(refused, request),
    );
    const state = { ...before, preexisting, refusedFindings, ...changed };
    return { answer: acceptedAnswer(text), state };
  };
  const stopped = stopAtGate(finding, scope, rules.minSeverity);
  if (stopped !== undefined) return refuse(stopped.code, stopped.why, stopped.least);
  if (!isOfChange(placed, evidence, lines)) {
    if (scope.isLaterReview)
      return refuse(
        'not-from-change',
        `the change does not touch line ${finding.line} of ${quoteLine(finding.path)}, and only the first review of a pull request reports what was there before. ${RELIES_ON_IT}`,
      );
    const text = `It will be listed as not from this change, where it blocks nothing. ${RELIES_ON_IT}`;
    return take(text, { preexisting: [...preexisting, finding] });
  }
  const wasAsked = questioned.some(
    ({ about, request: earlier }) =>
      about === 'sameness' && earlier.line === request.line && isRequestedAgain(earlier, request),
  );
  const isNew = request.isNew === true || wasAsked;
  const known = ledger.copy(findings.map((raised) => raised.finding));
  const raising = known.raise(finding, { sameAs: request.sameAs, isNew });
  switch (raising.kind) {
    case 'refused':
      return refuse('wrong-name', `${raising.why}.`);
    case 'ask':
      return ask(questionAbout(raising.of, placed), 'sameness', before);
    case 'replaced': {
      const { id, handle, dismissedOn } = raising.finding;
      const index = findings.findIndex((raised) => raised.finding.id === id);
      const again = { ...placed, finding: { ...finding, id, handle, dismissedOn } };
      return take(answerTaken(again, index, lines, ', in place of what it said before'), {
        findings: findings.with(index, again),
      });
    }
    case 'held-back': {
      const { of } = raising;
      const text = `Held back: ${whyHeldBack(of)}. It is not posted.`;
      return take(text, { heldBack: [...heldBack, { finding, of }] });
    }
    case 'kept':
    case 'back': {
      const recorded = raising.kind === 'kept' ? raising.finding : raising.was;
      const repeatedBefore = before.repeated.find((earlier) => earlier.of.id === recorded.id);
      const isSure = request.sameAs !== undefined || wasAsked;
      const isOther =
        repeatedBefore !== undefined && !isSameFinding(repeatedBefore.finding, finding);
      if (isOther && !isSure) return ask(questionAbout([recorded], placed), 'sameness', before);
      const others = before.repeated.filter((earlier) => earlier !== repeatedBefore);
      const text = isOpen(recorded)
        ? `${recorded.handle} is open already, so it is not posted again.`
        : `${recorded.handle} had ended (${recorded.state}) and is open again. Nothing is posted before the run ends.`;
      return take(text, { repeated: [...others, { of: recorded, finding }] });
    }
    case 'raised': {
      const limitText = `a run may raise ${rules.maxFindings} findings, and this would be one more; name what matters in \`submit_review\`.`;
      const room = roomForFindings(ledger.open.length);
      if (findings.length >= Math.min(rules.maxFindings, room)) return refuse('limit', limitText);
      const { dismissedOn } = raising.finding;
      const raised = { ...placed, finding: { ...finding, dismissedOn } };
      return take(answerTaken(raised, findings.length, lines), { findings: [...findings, raised] });
    }
  }
}

function ask(question: string, subject: Question['about'], state: BufferedPublications): Taken {
  return { answer: refusedAnswer(`Not accepted: ${question}`), state, asked: subject };
}

/** Records a refusal, once for each finding. */
function withRefused(
  before: BufferedPublications,
  { path, line, title }: CommentRequest,
  reason: Pick<RefusedFinding, 'code' | 'least'>,
): BufferedPublications {
  const others = before.refusedFindings.filter(
    (refused) => refused.path !== path || refused.title !== title,
  );
  return { ...before, refusedFindings: [...others, { path, line, title, ...reason }] };
}

function answerTaken(
  placed: PlacedFinding,
  index: number,
  lines: CommentableLines,
  replaced = '',
): string {
  const { severity, suggestion } = placed.finding;
  const { placement } = placed;
  const isOffered = placement.kind === 'line' && placement.isExact;
  const offer = suggestion === undefined || isOffered ? '' : ` ${NO_BUTTON}`;
  return `Comment ${index + 1} (severity ${severity})${replaced}: ${describePlacement(placed, lines)}${offer} Nothing is posted before the run ends.`;
}

const NO_BUTTON =
  'Its suggestion is shown as code, without a button. For a button, copy all lines that it replaces into `code`, and repeat none of their neighbours.';

function problemOf({ path, title, body, suggestion = '' }: CommentRequest): string | undefined {
  const tooLong =
    sizeProblem('path', path, TEXT_LIMITS.pathBytes) ??
    sizeProblem('title', title, TEXT_LIMITS.findingTitleBytes) ??
    sizeProblem('body', body, TEXT_LIMITS.commentBytes);
  if (tooLong !== undefined || suggestion.trim() === '') return tooLong;
  return sizeProblem('suggestion', suggestion, TEXT_LIMITS.suggestionBytes);
}

/** The model was asked about the place of this finding; its line can have changed since. */
export function isPlaceQuestion(
  { about, request: { path, title } }: Question,
  request: CommentRequest,
): boolean {
  return about === 'place' && path === request.path && title === request.title;
}

const RELIES_ON_IT =
  'If the change now relies on it, call again with the changed line in `evidence`.';

function isSaidAgain(earlier: Finding, again: Finding): boolean {
  const { path, line, title } = earlier;
  return path === again.path && line === again.line && title === again.title;
}

interface Located {
  /** Undefined: the model has seen nothing of the file. */
  readonly placed: PlacedFinding | undefined;
  readonly evidence: readonly ShownEvidence[];
  /** Sentences for the model, one for each doubt about place or evidence. */
  readonly doubts: readonly string[];
}

/**
 * Finds the lines of a finding and of its evidence among the lines that the model was shown.
 * Doubtful parts are left out and make the finding unsure, so that it does not block.
 */
function locate(draft: Finding, { lines, shown }: FindingContext): Located {
  const checks = draft.evidence.map((quoted) => checkEvidence(quoted, shown));
  const evidence = checks.filter((check) => typeof check !== 'string');
  const anchor = findAnchor(draft, lines, shown);
  const doubts = [
    ...checks.filter((check) => typeof check === 'string'),
    ...(anchor.kind === 'found' ? [] : [doubtAbout(anchor, draft)]),
  ];
  if (anchor.kind === 'unseen') return { placed: undefined, evidence, doubts };

  const finding = {
    ...draft,
    path: anchor.path,
    evidence: evidence.map(({ side: _, ...line }) => line),
    confidence: doubts.length === 0 ? draft.confidence : 'unsure',
  } as const;
  const placed =
    anchor.kind === 'unclear'
      ? withoutPlace(finding, anchor, lines)
      : checkSuggestion(placeAt(finding, anchor, lines), lines, shown);
  return { placed, evidence, doubts };
}

/**
 * The finding loses its code and gets no comment on a line. A line number without a quote was not
 * found in the diff, so it counts as outside.
 */
function withoutPlace(
  finding: Finding,
  { path }: Anchor & { readonly kind: 'unclear' },
  lines: CommentableLines,
): PlacedFinding {
  const isQuoted = readQuote(finding.code ?? '').length > 0;
  const reason = lines.has(path) && isQuoted ? 'unclear' : 'outside';
  return { finding: { ...finding, code: undefined }, placement: { kind: 'body', reason } };
}

function placeAt(
  finding: Finding,
  { path, side, line, startLine, code, isExact }: Anchor & { readonly kind: 'found' },
  lines: CommentableLines,
): PlacedFinding {
  const placement = placeOnLines({ path, side, line, startLine }, lines);
  if (placement.kind === 'body')
    return { finding: { ...finding, side, line, startLine, code }, placement };
  // A finding on a range that leaves the diff keeps the part that its comment is on.
  const last = placement.line;
  const text = lines.get(path)?.[side].get(last)?.text;
  return {
    finding: { ...finding, side, line: last, startLine: placement.startLine, code: text },
    placement: { ...placement, isExact: isExact && placement.isExact },
  };
}

/** Maximum number of lines that a question names. */
const MAX_SPOTS = 5;

function doubtAbout(
  anchor: Anchor & { readonly kind: 'unclear' | 'unseen' },
  { path, line, code = '' }: Finding,
): string {
  const file = quoteLine(path);
  if (anchor.kind === 'unseen')
    return `${file} is not in the diff and was not shown to you in this run. Read it with \`github_file\`, or leave the finding out.`;
  const { here, spots } = anchor;
  const lineText =
    here === undefined
      ? `line ${line} of ${file} was not shown to you`
      : `line ${line} of ${file} reads ${quoteLine(cleanLine(here.trim(), MAX_LINE))}`;
  if (code.trim() === '') return `${lineText}. Call again with the line copied into \`code\`.`;
  if (spots.length === 0)
    return `${lineText}, and no line that was shown reads as \`code\` does. Call again with the line copied unchanged.`;
  const numbers = spots
    .toSorted((a, b) => Math.abs(a.last - line) - Math.abs(b.last - line))
    .slice(0, MAX_SPOTS)
    .toSorted((a, b) => a.last - b.last)
    .map(({ last, side }) => (side === 'LEFT' ? `${last} (LEFT)` : `${last}`));
  const more = spots.length > MAX_SPOTS ? ' and others' : '';
  return `${lineText}; \`code\` is on line ${numbers.join(', ')}${more}. Call again with the number, or with the lines around it in \`code\`.`;
}

/** Maximum code points of a line in a question. */
const MAX_LINE = 200;

/**
 * A finding belongs to the change if the diff has one of its lines, or a line that proves it. If
 * its lines in a changed file are unclear, it belongs to the change too.
 */
function isOfChange(
  { placement }: PlacedFinding,
  evidence: readonly ShownEvidence[],
  lines: CommentableLines,
): boolean {
  const isInside = placement.kind === 'line' || placement.reason !== 'outside';
  return isInside || evidence.some((line) => isInDiff(line, lines));
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
  const known = [...ledger.findings, ...findings.map(({ finding }) => finding)];
  const usedHandles = new Set(known.map(({ handle }) => handle));
  return {
    id,
    handle: createHandle(id, (handle) => usedHandles.has(handle)),
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
  candidates: readonly (KnownFinding | Lesson)[],
  { finding }: PlacedFinding,
): string {
  const listed = candidates.slice(0, MAX_ASKED).map((known) => {
    const { handle, path, category } = known;
    const isHere = !('pull' in known);
    const state = isHere ? stateInQuestion(known) : `was dismissed on #${known.pull}`;
    const place =
      isHere && path === finding.path ? ` at line ${known.line}` : ` in ${quoteLine(path)}`;
    const title = known.title === '' ? category : `“${known.title}”`;
    return `${handle} ${state}${place}: ${title}`;
  });
  const [first] = candidates;
  return `not yet. ${listed.join('; ')}. If yours is the same, call again with \`same_as: "${first?.handle ?? ''}"\`; if it is another one, with \`new: true\`.`;
}

function stateInQuestion(known: KnownFinding): string {
  return isOfThisRun(known) ? 'was raised in this run' : `is ${known.state}`;
}

const MAX_ASKED = 5;

/** The reason to refuse a finding, for the model; undefined if there is none. Asks no model. */
function stopAtGate(
  finding: Finding,
  scope: FindingContext,
  minSeverity: Severity,
): (Pick<RefusedFinding, 'code' | 'least'> & { readonly why: string }) | undefined {
  const { path, severity, title, body, trigger = '' } = finding;
  if (!scope.isInScope(path))
    return {
      code: 'outside-paths',
      why: `${quoteLine(path)} is outside the paths that this review is about. Leave it out.`,
    };
  if (trigger.trim() === '' && asks(title) && asksOnly(body))
    return {
      code: 'wish',
      why: 'this asks the author to check something and names no fault. Say what happens, and with which `trigger`, or leave it out.',
    };
  if (!isAtLeast(severity, minSeverity))
    return {
      code: 'too-mild',
      why: `its effect and reach make it \`${severity}\`, and this review reports \`${minSeverity}\` and worse. Leave it out.`,
      least: minSeverity,
    };
  if (severity === 'nit' && scope.isLaterReview)
    return {
      code: 'too-mild',
      why: 'its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.',
      least: 'minor',
    };
  return undefined;
}

/** Nobody can act on "make sure that it works": it only shows that the reviewer has not looked. */
const ASKS =
  /^(?:(?:please|maybe|perhaps|you|we|i|they|should|could|may|might|want|would|need|recommend|suggest|it|is|be|worth|good|better|to)[\s,]+){0,6}(?:verify(?:ing)?|ensur(?:e|ing)|mak(?:e|ing) sure|consider(?:ing)?|double[- ]check(?:ing)?|check (?:if|that|whether)|confirm(?:ing)?)\b/i;

function asks(text: string): boolean {
  return ASKS.test(text.replace(/^[\s*_`>#-]+/, ''));
}

function asksOnly(body: string): boolean {
  const sentences = body.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 0 && sentences.every(asks);
}
