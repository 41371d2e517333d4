import { isWrittenByPerson } from '../../github/reading/conversation.js';
import { cleanLine, quoteLine } from '../../lib/text/format.js';
import {
  acceptedAnswer,
  type PublicationAnswer,
  type RefusedPublication,
  refusedAnswer,
} from '../buffered-publications.js';
import { type CommentableLines, findFile } from '../change/diff-lines.js';
import { fold, readQuote } from '../change/quote.js';
import { type Evidence, isOpen } from '../finding.js';
import type { KnownFinding, Settlement } from '../known-finding.js';
import type { FindingContext } from './take-finding.js';

/** The end of a finding as the model requests it. */
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
/** Maximum code points of an unknown name in a refusal. */
const MAX_NAME = 40;

/**
 * Accepts the end of an earlier finding, or says why not. A fix needs a line that has changed since
 * the finding was posted, unless its own line is gone. A dismissal needs a person who has written
 * in its conversation. Neither the model's wish nor a sentence in a diff closes anything.
 */
export function takeSettlement(
  request: SettleRequest,
  settlements: readonly Settlement[],
  scope: FindingContext,
): {
  readonly answer: PublicationAnswer;
  readonly settlements: readonly Settlement[];
  readonly refusal?: RefusedPublication;
} {
  const finding = scope.ledger.find(request.finding);
  const refuse = (code: RefusedPublication['code'], explanation: string) => ({
    answer: refusedAnswer(`Not accepted: ${explanation}`),
    settlements,
    refusal: {
      tool: 'settle_finding',
      code,
      detail: finding === undefined ? cleanLine(request.finding, MAX_NAME) : undefined,
      finding: finding && { id: finding.id, handle: finding.handle },
    },
  });
  if (finding === undefined || !isOpen(finding)) {
    const names = scope.ledger.open.map(({ handle }) => handle).join(', ');
    const open = names === '' ? 'there are none' : `these are ${names}`;
    return refuse(
      'not-open',
      `${quoteLine(request.finding)} is not one of your open findings; ${open}.`,
    );
  }
  if (finding.rule !== undefined)
    return refuse(
      'by-rule',
      `${finding.handle} was raised by a rule, which ends it when nothing is hidden there any more. Only people can dismiss it.`,
    );
  if (scope.failing?.has(finding.id) === true && request.how !== 'dismissed')
    return refuse(
      'test-fails',
      `the test that shows ${finding.handle} still fails. It stays open.`,
    );
  const reason = cleanLine(request.reason, MAX_REASON);
  if (reason === '')
    return refuse('no-reason', '`reason` is empty; say in one sentence what ends the finding.');
  const problem = problemOfEnd(request, finding, scope);
  if (problem !== undefined) return refuse('no-proof', problem);
  const by = request.how === 'dismissed' ? (request.by ?? '').replace(/^@/, '') : '';
  const settlement = { finding, how: request.how, reason, evidence: request.evidence, by };
  const others = settlements.filter((earlier) => earlier.finding.id !== finding.id);
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
      return people.some(
        (person) => person.toLowerCase() === login && scope.ledger.context.isWriter(person),
      )
        ? undefined
        : `${login === '' ? '`by` names nobody' : `${quoteLine(by)} has not written in the conversation of ${finding.handle}`}; only a person who answered there can have dismissed it.`;
    }
    case 'fixed':
      return finding.isGone || evidence.some((line) => isChangedSince(line, finding, scope))
        ? undefined
        : `name in \`evidence\` a line that changed since ${finding.handle} was posted and that fixes it, copied as it is.`;
  }
}

/**
 * True for a line that was added after the finding was posted: it is new in the diff, and not in
 * the hunk that was shown with the finding. For a finding of the last review, only the changes since
 * then count. For an older one the whole diff counts too, because the last review can have missed
 * the fix. A removed line counts only if it was removed since the last review: lines that the whole
 * diff removes can have been missing before.
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
  const addedLines = linesQuoted(code, '-');
  const removedLines = linesQuoted(code, '+');
  if (file === undefined) return false;
  const hunk = (thread?.hunk ?? '').split(/\r?\n/).filter((line) => !line.startsWith('-'));
  const before = new Set(hunk.map((line) => fold(line.slice(1))));
  const rightLines = [...file.RIGHT.values()].map((line) => ({ ...line, text: fold(line.text) }));
  const isAdded = rightLines.some(
    ({ text, other }) => other === undefined && addedLines.has(text) && !before.has(text),
  );
  if (isAdded || !hasRemoved) return isAdded;
  const rightTexts = new Set(rightLines.map(({ text }) => text));
  return [...file.LEFT.values()]
    .map(({ text, other }) => ({ text: fold(text), other }))
    .some(
      ({ text, other }) => other === undefined && removedLines.has(text) && !rightTexts.has(text),
    );
}

/**
 * The lines that a quote can mean. A quote with the mark of the other side is read literally only.
 */
function linesQuoted(code: string, otherMark: '+' | '-'): ReadonlySet<string> {
  const readings = readQuote(code);
  const possible = code.startsWith(otherMark) ? readings.slice(0, 1) : readings;
  return new Set(possible.flatMap(({ lines }) => lines));
}
