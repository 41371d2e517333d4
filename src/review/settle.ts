import { cleanLine, shown } from '../lib/text/format.js';
import { type PublicationAnswer, refused, taken } from './buffered.js';
import { findFile, normalizeCode } from './diff-lines.js';
import { type Evidence, isOpen } from './finding.js';
import { isOfPerson, type KnownFinding, type Settlement } from './seen.js';
import type { FindingScope } from './take-finding.js';

/** The end of a finding as the model asks for it. */
export interface SettleRequest {
  /** Its name, `FQ7K2`. */
  readonly finding: string;
  readonly how: Settlement['how'];
  readonly reason: string;
  /** The lines that fix it. */
  readonly evidence: readonly Evidence[];
  /** Login of the person who dismissed it in words. */
  readonly by?: string | undefined;
}

const MAX_REASON = 300;

/**
 * Takes the end of an earlier finding, or says why not. A fix needs a line that has changed since the finding was posted,
 * and a dismissal a person who has written in its conversation: neither a wish of the model's nor a sentence in a diff
 * closes anything.
 */
export function takeSettlement(
  request: SettleRequest,
  settlements: readonly Settlement[],
  scope: FindingScope,
): { readonly answer: PublicationAnswer; readonly settlements: readonly Settlement[] } {
  const refuse = (text: string) => ({ answer: refused(`Not accepted: ${text}`), settlements });
  const finding = scope.ledger.find(request.finding);
  if (finding === undefined || !isOpen(finding)) {
    const names = scope.ledger.open.map(({ handle }) => handle).join(', ');
    const open = names === '' ? 'there are none' : `these are ${names}`;
    return refuse(`${shown(request.finding)} is not one of your open findings; ${open}.`);
  }
  const reason = cleanLine(request.reason, MAX_REASON);
  if (reason === '') return refuse('`reason` is empty; say in one sentence what ends the finding.');
  const problem = problemOf(request, finding, scope);
  if (problem !== undefined) return refuse(problem);
  const by = request.how === 'dismissed' ? (request.by ?? '').replace(/^@/, '') : '';
  const settlement = { finding, how: request.how, reason, evidence: request.evidence, by };
  const others = settlements.filter((one) => one.finding.id !== finding.id);
  const again = others.length < settlements.length ? ', in place of what you said before' : '';
  const text = `${finding.handle} is ended (${request.how})${again}. Nothing is posted before the run ends.`;
  return { answer: taken(text), settlements: [...others, settlement] };
}

function problemOf(
  { how, evidence, by = '' }: SettleRequest,
  finding: KnownFinding,
  scope: FindingScope,
): string | undefined {
  switch (how) {
    case 'wrong':
      return undefined;
    case 'dismissed': {
      const login = by.replace(/^@/, '').toLowerCase();
      return people(finding, scope).some((person) => person.toLowerCase() === login)
        ? undefined
        : `${login === '' ? '`by` names nobody' : `${shown(by)} has not written in the conversation of ${finding.handle}`}; only a person who answered there can have dismissed it.`;
    }
    case 'fixed':
      return evidence.some((one) => isChangedSince(one, finding, scope))
        ? undefined
        : `name in \`evidence\` a line that changed since ${finding.handle} was posted and that fixes it, copied as it is.`;
  }
}

/** Logins of people with write access who have written in the conversation of a finding. */
function people({ thread }: KnownFinding, { ledger: { context } }: FindingScope): readonly string[] {
  const written = (thread?.replies ?? []).filter((post) => isOfPerson(post));
  return written.map(({ author }) => author.login).filter((login) => context.isWriter(login));
}

/**
 * Whether a line was added after the finding was posted: it is new in the diff, and not among what was shown with it. Or
 * whether it was taken out since the last review; what the whole diff has taken out may have been out before.
 */
function isChangedSince(
  { path, code }: Evidence,
  { thread }: KnownFinding,
  { lines, fresh }: FindingScope,
): boolean {
  const file = findFile(fresh ?? lines, path);
  const isQuoted = (text: string, mark: RegExp) =>
    text !== '' && [code, code.replace(mark, '')].some((one) => normalizeCode(one) === text);
  if (file === undefined) return false;
  const before = new Set((thread?.hunk ?? '').split(/\r?\n/).map((line) => normalizeCode(line.slice(1))));
  const there = [...file.RIGHT.values()].map((line) => ({ ...line, text: normalizeCode(line.text) }));
  const isAdded = there.some(
    ({ text, other }) => other === undefined && isQuoted(text, /^[+]/) && !before.has(text),
  );
  if (isAdded || fresh === undefined) return isAdded;
  const kept = new Set(there.map(({ text }) => text));
  return [...file.LEFT.values()]
    .map(({ text, other }) => ({ text: normalizeCode(text), other }))
    .some(({ text, other }) => other === undefined && isQuoted(text, /^-/) && !kept.has(text));
}
