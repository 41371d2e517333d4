import { cleanLine, shown } from '../lib/text/cut.js';
import type { Buffered } from './buffered.js';
import { readSuggestion, withoutOffers } from './comment-text.js';
import { type DiffLines, type FileLines, findFile } from './diff-lines.js';
import { checkEvidence, claimsCheck, MAX_EVIDENCE, type ShownFiles, stopAtGate } from './evidence.js';
import {
  type Category,
  type Evidence,
  type Finding,
  type FindingEffect,
  handleOf,
  mintId,
  type Reach,
  type Side,
} from './finding.js';
import type { Ledger } from './ledger.js';
import { describePlacement, followCode, lineOf, type PlacedFinding, placeFinding } from './place.js';
import {
  type PublicationAnswer,
  type PublishRules,
  refused,
  sizeProblem,
  TEXT_LIMITS,
  taken,
} from './publish-rules.js';
import { isOfLine, type Lesson, whyHeldBack } from './same.js';
import type { KnownFinding } from './seen.js';
import { pathKindOf, type SeverityOverrides, severityOf } from './severity.js';

/** A comment as the model asks for it. */
export interface CommentRequest {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number | undefined;
  readonly side?: Side | undefined;
  readonly title: string;
  readonly body: string;
  readonly trigger?: string | undefined;
  readonly category: Category;
  readonly effect: FindingEffect;
  readonly reach: Reach;
  readonly evidence?: readonly Evidence[] | undefined;
  /** False: data or safety may be lost, and the model could not settle whether. */
  readonly sure?: boolean | undefined;
  readonly suggestion?: string | undefined;
  /** The text of `line` as the model read it; wins over the number. */
  readonly code?: string | undefined;
  /** The earlier finding that this one is, as the model says. */
  readonly sameAs?: string | undefined;
  /** The model has been asked, and says that it is none of the earlier ones. */
  readonly isNew?: boolean | undefined;
}

/** What findings are held against. */
export interface FindingScope {
  readonly lines: DiffLines;
  /** The earlier findings of the pull request. */
  readonly ledger: Ledger;
  readonly overrides: SeverityOverrides;
  /** Whether people read a file, which is not generated or vendored. */
  isRead(path: string): boolean;
  /** What ids are minted from: no other run has it. */
  readonly run: string;
  /** What the model has been shown. */
  readonly shown: ShownFiles;
  /** Strangers may have a part in what this run reads, so titles of theirs are nothing new to it. */
  readonly isUntrusted: boolean;
  /** Whether a path is among those that the review is about. */
  isInScope(path: string): boolean;
  /** This agent has reviewed the pull request before. */
  readonly isLaterReview: boolean;
}

/** The answer to the model, and what the run wants published after it. */
interface Taken {
  readonly answer: PublicationAnswer;
  readonly state: Buffered;
}

/**
 * Takes a comment among the findings of a run, or says why not. What the pull request has already is not said twice: where
 * place and words do not decide whether a finding is an earlier one, the model is asked, once.
 */
export function takeFinding(
  request: CommentRequest,
  before: Buffered,
  scope: FindingScope,
  rules: PublishRules,
): Taken {
  const { lines } = scope;
  const { findings } = before;
  const end = (answer: PublicationAnswer, changed: Partial<Buffered> = {}): Taken => {
    return { answer, state: { ...before, ...changed } };
  };
  const refuse = (text: string, changed: Partial<Buffered> = {}) =>
    end(refused(`Not accepted: ${text}.`), changed);
  const problem = problemOf(request);
  if (problem !== undefined) return refuse(problem);
  const followed = followCode(readFinding(request, before, scope), lines);
  if (followed.kind === 'mismatch') return refuse(mismatch(request, followed.actual));
  const checks = followed.finding.evidence.map((one) => checkEvidence(one, scope.shown));
  const bad = checks.find((check) => check.kind === 'refused');
  if (bad?.kind === 'refused') return end(refused(bad.message));
  const shownLines = checks.flatMap((check) => (check.kind === 'shown' ? [check] : []));
  const finding = {
    ...followed.finding,
    hasClaim: hasClaim(followed.finding, lines),
    evidence: shownLines.map(({ evidence }) => evidence),
  };
  const { placed, note } = withCheckedSuggestion(placeFinding(finding, lines), lines);
  const evidence = shownLines.map((one) => ({ ...one.evidence, side: one.side }));
  const gateRules = { ...scope, minSeverity: rules.minSeverity };
  const stopped = stopAtGate({ ...placed.finding, evidence }, gateRules);
  if (stopped !== undefined) return end(refused(`Not accepted: ${stopped}`));
  const found = findings.findIndex((one) => isOfLine(one.finding, placed.finding));
  // It takes the place of a comment of this run on the same line.
  const at = found < 0 ? undefined : found;
  let dismissedOn: number | undefined;
  if (at === undefined) {
    const isAsked = before.questioned.has(lineOf(placed));
    const isNew = request.isNew === true || isAsked;
    const raising = scope.ledger.copy().raise(placed.finding, { sameAs: request.sameAs, isNew });
    switch (raising.kind) {
      case 'refused':
        return refuse(raising.why);
      case 'ask':
        return refuse(questionAbout(raising.of, placed, scope), {
          questioned: new Set([...before.questioned, lineOf(placed)]),
        });
      case 'held-back': {
        const { of } = raising;
        const heldBack = [...before.heldBack, { finding: placed.finding, of }];
        return end(taken(`Held back: ${whyHeldBack(of)}. It is not posted.`), { heldBack });
      }
      case 'kept':
      case 'back': {
        const of = raising.kind === 'kept' ? raising.finding : raising.was;
        const others = before.repeated.filter((one) => one.of.id !== of.id);
        const repeated = [...others, { of, finding: placed.finding }];
        return end(taken(answerRepeated(of)), { repeated });
      }
      case 'raised':
        dismissedOn = raising.finding.dismissedOn;
    }
  }
  if (at === undefined && findings.length >= rules.maxFindings) {
    const why = `a run may raise ${rules.maxFindings} findings, and this would be one more; name what matters in \`submit_review\``;
    return refuse(why, { refusedFindings: before.refusedFindings + 1 });
  }
  const replacedFinding = at === undefined ? undefined : findings[at]?.finding;
  const { id, handle } = replacedFinding ?? placed.finding;
  const kept = { ...placed, finding: { ...placed.finding, dismissedOn, id, handle } };
  const next = at === undefined ? [...findings, kept] : findings.with(at, kept);
  const number = (at ?? findings.length) + 1;
  const replaced = at === undefined ? '' : ', in place of what it said before';
  const rank = rankOf(placed, next.slice(0, number));
  const place =
    rank > rules.maxComments
      ? `a review has at most ${rules.maxComments} comments on lines, and this is one more: it will be listed in the review's text. Drop findings that do no harm.`
      : `${describePlacement(placed, lines)}${note}`;
  const severity = `severity ${placed.finding.severity}`;
  const text = `Comment ${number} (${severity})${replaced}: ${place} Nothing is posted before the run ends.`;
  return end(taken(text), { findings: next });
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
  { findings, repeated, heldBack }: Buffered,
  { overrides, isRead, run, ledger }: FindingScope,
): Finding {
  const { path, line, startLine, side = 'RIGHT', title, body, trigger = '', code } = request;
  const { category, effect, reach, evidence = [], sure = true } = request;
  const suggestion = readSuggestion(request.suggestion, path);
  const pathKind = pathKindOf(path, isRead(path));
  const id = mintId(run, findings.length + repeated.length + heldBack.length + 1);
  const taken = new Set(
    [...ledger.findings, ...findings.map(({ finding }) => finding)].map((one) => one.handle),
  );
  return {
    id,
    handle: handleOf(id, (handle) => taken.has(handle)),
    agent: ledger.context.agent,
    state: 'open',
    path,
    line,
    side,
    title: cleanLine(title, TEXT_LIMITS.findingTitleBytes),
    body: withoutOffers(body).trim(),
    category,
    effect,
    reach,
    severity: severityOf({ effect, reach, category, pathKind, overrides }),
    confidence: sure ? 'likely' : 'unsure',
    evidence: evidence.slice(0, MAX_EVIDENCE),
    trigger: trigger.trim() === '' ? undefined : cleanLine(trigger, MAX_TRIGGER),
    startLine,
    suggestion,
    code,
  };
}

/** Whether a comment on the line or above it claims a check, which may be the very one that is missing. */
function hasClaim({ path, line, side }: Finding, lines: DiffLines): true | undefined {
  const file = findFile(lines, path)?.[side];
  return [line - 1, line].some((at) => claimsCheck(file?.get(at)?.text ?? '')) || undefined;
}

/** The pull request has the finding already: open, or ended and now back. */
function answerRepeated({ handle, state }: KnownFinding): string {
  return state === 'open'
    ? `${handle} is open already, so it is not posted again.`
    : `${handle} had ended (${state}) and is open again. Nothing is posted before the run ends.`;
}

function questionAbout(
  asked: readonly (KnownFinding | Lesson)[],
  { finding }: PlacedFinding,
  { isUntrusted }: FindingScope,
): string {
  const listed = asked.slice(0, MAX_ASKED).map((one) => {
    const isHere = !('pull' in one);
    const state = isHere ? `is ${one.state}` : `was dismissed on #${one.pull}`;
    const place = isHere && one.path === finding.path ? ` at line ${one.line}` : ` in ${shown(one.path)}`;
    const title = isHere && !isUntrusted && one.lane !== 'trusted' ? one.category : `“${one.title}”`;
    return `${one.handle} ${state}${place}: ${title}`;
  });
  const [first] = asked;
  return `not yet. ${listed.join('; ')}. If yours is the same, call again with \`same_as: "${first?.handle ?? ''}"\`; if it is another one, with \`new: true\``;
}

const MAX_ASKED = 5;

function mismatch({ path, line }: CommentRequest, actual: string): string {
  return `line ${line} of ${shown(path)} reads ${shown(actual.trim())}, and no line of its diff reads as \`code\` does; send the line unchanged, or leave \`code\` out`;
}

/** The how many-th comment on a line it is; 0 for one that is in the text. */
function rankOf({ placement }: PlacedFinding, upTo: readonly PlacedFinding[]): number {
  return placement.kind === 'line' ? upTo.filter((one) => one.placement.kind === 'line').length : 0;
}

/** Only lines that were meant exactly, in the new version, can be offered to be replaced; `note` tells the model. */
function withCheckedSuggestion(
  placed: PlacedFinding,
  lines: DiffLines,
): { readonly placed: PlacedFinding; readonly note: string } {
  const { finding, placement } = placed;
  if (finding.suggestion === undefined) return { placed, note: '' };
  if (placement.kind !== 'line' || !placement.isExact || placement.side === 'LEFT') {
    const note =
      ' Its suggestion will be shown as plain code: a suggestion can only replace lines of the new version that are in the diff.';
    return { placed, note };
  }
  const file = findFile(lines, finding.path);
  if (file === undefined || currentCode(file, placement) !== finding.suggestion) return { placed, note: '' };
  const { suggestion: _, ...rest } = finding;
  return {
    placed: { ...placed, finding: rest },
    note: ' Its suggestion was left out: it is the same as the current code.',
  };
}

function currentCode(
  { RIGHT }: FileLines,
  { line, startLine = line }: { readonly line: number; readonly startLine: number | undefined },
): string {
  const lines: string[] = [];
  for (let at = startLine; at <= line; at += 1) lines.push(RIGHT.get(at)?.text.replace(/\r$/, '') ?? '');
  return lines.join('\n');
}
