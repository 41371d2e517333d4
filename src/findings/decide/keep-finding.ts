import type { Word } from '../../event/trust.js';
import { DAY_MS } from '../../lib/clock.js';
import { cleanLine, codeBlock } from '../../lib/text/format.js';
import type { CommentableLines } from '../change/diff-lines.js';
import { hasEnded } from '../finding.js';
import { type KeptFinding, keptText } from '../kept-finding.js';
import type { KnownFinding } from '../known-finding.js';

/** Facts of a run for the record. */
export interface RecordParts {
  readonly pull: number;
  readonly head: string;
  /** The word of the run. */
  readonly word: Word;
  readonly now: Date;
  /** Which model has raised the new findings. */
  readonly model?: string;
  /** Outbound cleaning: a review shows the record to everybody who looks for it. */
  clean(markdown: string): string;
}

/**
 * A finding as it is kept. One that did not change keeps its line. After a month it is written again
 * all the same, since the state leaves old lines out.
 */
export function keepFinding(
  finding: KnownFinding,
  lines: CommentableLines | undefined,
  parts: RecordParts,
): KeptFinding {
  const { stored, rev, isMute, gone, decided, saw } = finding;
  const time = parts.now.getTime();
  const isDecided = Number.isFinite(decided);
  const { body, trigger, evidence, suggestion } = stored ?? cleanedWords(finding, parts);
  const next: KeptFinding = {
    kind: 'finding',
    id: finding.id,
    pull: parts.pull,
    at: stored?.at ?? time,
    rev,
    handle: finding.handle,
    rule: finding.rule,
    title: stored?.title ?? cleanedLine(finding.title, parts),
    category: finding.category,
    severity: finding.severity,
    confidence: finding.confidence === 'likely' ? undefined : finding.confidence,
    path: keptPath(finding, lines, parts),
    line: Math.min(finding.line, MAX_LINE),
    startLine: finding.startLine,
    side: finding.side,
    code: finding.key,
    state: finding.state,
    by: finding.by,
    why: finding.why,
    login: finding.login,
    reason: finding.reason === undefined ? undefined : cleanedLine(finding.reason, parts),
    gone: gone || undefined,
    isMute: isMute || undefined,
    head: isDecided ? finding.head : parts.head,
    words: stored?.words ?? parts.word,
    raised: stored?.raised ?? time,
    decided: isDecided ? decided : time,
    model: stored?.model ?? parts.model,
    thread: finding.thread?.id ?? stored?.thread,
    saw: { resolvedBy: saw.resolvedBy, down: saw.down },
    // Kept only while the finding is open.
    ...(hasEnded(finding) ? {} : { body, trigger, evidence, suggestion, test: finding.test }),
  };
  const isSame = stored !== undefined && JSON.stringify(next) === JSON.stringify(stored);
  return isSame && time - stored.at < MAX_UNCHANGED_MS ? stored : { ...next, at: time };
}

const MAX_UNCHANGED_MS = 30 * DAY_MS;

/** Numbers that a model made up have no end. */
const MAX_LINE = 999_999_999;

const MAX_TITLE = 240;
const MAX_CODE = 200;

function cleanedLine(text: string, { clean }: RecordParts): string {
  return cleanLine(clean(`x ${cleanLine(text, MAX_TITLE)}`).slice(2), MAX_TITLE);
}

/**
 * A path that is none of the diff is a model's text: where cleaning would change it, it is left
 * out.
 */
function keptPath(
  { stored, path }: KnownFinding,
  lines: CommentableLines | undefined,
  { clean }: RecordParts,
): string {
  const isKnown = stored !== undefined || lines?.has(path) === true;
  return isKnown || clean(path) === path ? path : '';
}

type Words = Pick<KeptFinding, 'body' | 'trigger' | 'evidence' | 'suggestion'>;

/** The words of a new finding. A suggestion must read the same after cleaning. */
function cleanedWords(
  { body, trigger, evidence, suggestion }: KnownFinding,
  parts: RecordParts,
): Words {
  const { clean } = parts;
  const offer = codeBlock(suggestion ?? '', 'suggestion');
  const proof = evidence.map((line) => ({ ...line, code: clean(cleanLine(line.code, MAX_CODE)) }));
  return {
    body: keptText(clean(body)) || undefined,
    trigger: trigger === undefined ? undefined : cleanedLine(trigger, parts),
    evidence: proof.length === 0 ? undefined : proof,
    suggestion: clean(offer) === offer ? suggestion : undefined,
  };
}
