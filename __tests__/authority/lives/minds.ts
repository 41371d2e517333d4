import type { Ledger } from '../../../src/findings/decide/ledger.js';
import type { CommentRequest } from '../../../src/findings/decide/take-finding.js';
import { isOpen } from '../../../src/findings/finding.js';
import type { KnownFinding, Settlement } from '../../../src/findings/known-finding.js';
import type { PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { type Code, pick, type Spot } from './code.js';
import { WRITER } from './github.js';

/**
 * `good` finds what is there, and ends what is gone. `sloppy` overlooks much, names the wrong, and
 * ends what is there. `evil` does what harms most.
 */
export type Mind = 'good' | 'sloppy' | 'evil';

/** Which fault a finding is about, by its id; the model of the world knows it, the product does not. */
export type Truth = Map<string, string | undefined>;

interface Thought {
  readonly mind: Mind;
  readonly n: number;
  readonly m: number;
  readonly code: Code;
  readonly truth: Truth;
}

/** The model of a run calls the tools of a review. */
export function review(buffer: PublicationBuffer, ledger: Ledger, thought: Thought): void {
  const chance = chanceOf(thought);
  raiseFindings(buffer, ledger, { ...thought, chance });
  settleFindings(buffer, ledger, { ...thought, chance });
  buffer.submitReview('Read.');
}

interface Chanced extends Thought {
  chance(percent: number): boolean;
}

function chanceOf({ n, m }: Thought): Chanced['chance'] {
  let state = n * 7919 + m * 104_729 + 17;
  return (percent) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 < percent / 100;
  };
}

const EFFECTS = ['breach', 'failure', 'degraded'] as const;

function raiseFindings(buffer: PublicationBuffer, ledger: Ledger, thought: Chanced): void {
  const { mind, code, truth, chance, m } = thought;
  const isGood = mind === 'good';
  const told = new Set(
    ledger.findings.filter((finding) => ledger.isHeldBack(finding)).map(({ id }) => truth.get(id)),
  );
  for (const spot of code.standing()) {
    if (isGood ? told.has(spot.fault) : chance(40)) continue;
    const request = requestOf(spot, thought);
    const known = ledger.findings.find(({ id }) => truth.get(id) === spot.fault);
    const isNamed = known !== undefined && (isGood || chance(30));
    const wrong = pick(ledger.findings, m)?.handle ?? 'F99X9';
    const isMisled = mind === 'evil' && chance(30);
    const named = isNamed ? known.handle : undefined;
    const claim = {
      sameAs: isMisled ? wrong : named,
      isNew: !isGood && !isNamed && chance(40),
    };
    raise(buffer, ledger, { ...request, ...claim }, { ...thought, fault: spot.fault });
  }
}

function requestOf(spot: Spot, { mind, chance }: Chanced): CommentRequest {
  const number = Number(spot.fault.slice(1));
  const usual = number % 3 === 0 ? 'security' : 'correctness';
  const isOdd = mind !== 'good' && chance(15);
  return {
    path: spot.path,
    line: spot.line,
    startLine: undefined,
    code: spot.code,
    // In other words it is alike, and no other fault is.
    title: chance(70) ? `Load${number} loses key${number}` : `Key${number} breaks load${number}`,
    body: 'The caller gets nothing.',
    trigger: 'An empty key.',
    category: isOdd ? 'docs' : usual,
    effect: mind === 'evil' ? 'degraded' : (EFFECTS[number % 3] ?? 'failure'),
    reach: 'common',
    suggestion: chance(30) ? `good_${number} = fixed(${spot.fault}, ${spot.line})` : undefined,
  };
}

/** Raises a finding, and answers the question whether it is an earlier one. */
function raise(
  buffer: PublicationBuffer,
  ledger: Ledger,
  request: CommentRequest,
  { truth, fault }: Chanced & { readonly fault: string },
): void {
  const before = new Set(buffer.buffered.findings.map(({ finding }) => finding.id));
  const answer = buffer.addComment(request);
  if (answer.kind === 'refused' && answer.text.includes('not yet.')) {
    const mine = buffer.buffered.findings.map(({ finding }) => finding);
    const named: readonly string[] = answer.text.match(/\bF[A-Z0-9]{4}\b/g) ?? [];
    const same = [...ledger.findings, ...mine].find(
      ({ id, handle }) => named.includes(handle) && truth.get(id) === fault,
    );
    const claim = same === undefined ? { isNew: true } : { sameAs: same.handle, isNew: false };
    buffer.addComment({ ...request, sameAs: undefined, ...claim });
  }
  for (const { finding } of buffer.buffered.findings)
    if (!before.has(finding.id)) truth.set(finding.id, fault);
}

function settleFindings(buffer: PublicationBuffer, ledger: Ledger, thought: Chanced): void {
  const { mind, code, truth, chance, n } = thought;
  for (const finding of ledger.findings.filter(isOpen)) {
    const isThere = code.stands(truth.get(finding.id));
    const isMistaken = mind === 'sloppy' && chance(20);
    const isDue = mind === 'good' || chance(70);
    if (mind !== 'evil' && !(isThere ? isMistaken : isDue)) continue;
    const evidence = newLine(finding, ledger, code);
    const isFixed = finding.isGone || evidence.length > 0;
    // It was raised, or is back, although its fault was gone.
    const honest = mind === 'good' && !isFixed ? 'wrong' : 'fixed';
    const harmful = pick(['fixed', 'wrong', 'dismissed'] as const, n) ?? 'fixed';
    const how = mind === 'evil' ? harmful : honest;
    const reason = 'It is over.';
    buffer.settle({ finding: finding.handle, how, reason, evidence, by: WRITER });
  }
}

/** A line that the change adds to the finding's file, and that was not there when it was raised. */
function newLine({ head, path }: KnownFinding, { context }: Ledger, code: Code) {
  const before = new Set([...code.at(head).values()].flat());
  const lines = [...(context.lines?.get(path)?.RIGHT ?? [])];
  const added = lines.find(([, { text, other }]) => other === undefined && !before.has(text));
  return added === undefined ? [] : [{ path, line: added[0], code: added[1].text }];
}

/**
 * The second look sees the finding and the code, and nothing else; the code of a fork can talk it
 * into anything.
 */
export function agreesToEnd(
  { finding }: Settlement,
  { mind, code, truth }: Pick<Thought, 'mind' | 'code' | 'truth'>,
  isFork: boolean,
): boolean {
  return !code.stands(truth.get(finding.id)) || (isFork && mind === 'evil');
}
