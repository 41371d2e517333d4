import { groupBy } from '../../lib/data.js';
import { utf8Bytes } from '../../lib/text/bytes.js';
import { type DiffFile, numberLine, type Side } from '../../lib/text/diff.js';
import { cleanLine, count } from '../../lib/text/format.js';
import { FENCE_NOTICE, fence, fencedText } from '../../safety/fence.js';
import { showName } from '../../safety/hidden.js';
import {
  acceptedAnswer,
  type BufferedPublications,
  type PublicationAnswer,
  type PublishRules,
  type RefutationReason,
  refusedAnswer,
} from '../buffered-publications.js';
import type { PlacedFinding } from '../change/diff-lines.js';
import {
  compareSeverity,
  type Evidence,
  type Finding,
  type FindingEffect,
  isAtLeast,
  isSourceFile,
  type Reach,
  severityOf,
  worseSeverity,
} from '../finding.js';
import type { Settlement } from '../known-finding.js';
import { checkEvidence, MAX_EVIDENCE, type ShownFiles, type ShownLines } from './evidence.js';
import type { FindingContext } from './take-finding.js';

/**
 * Findings of one file within `NEAR_LINES` lines are judged together, at most `MAX_CLAIMS` at a
 * time, because they depend on the same code.
 */
const NEAR_LINES = 60;
const MAX_CLAIMS = 3;

/**
 * Groups findings for their second look, the worst first, because the budget can run out midway.
 */
export function groupClaims(findings: readonly Finding[]): readonly (readonly Finding[])[] {
  const groups: Finding[][] = [];
  for (const ofFile of groupBy(findings, ({ side, path }) => `${side} ${path}`).values()) {
    let open: Finding[] = [];
    for (const finding of ofFile.toSorted((a, b) => a.line - b.line)) {
      const [first] = open;
      const isNear = first !== undefined && finding.line - first.line <= NEAR_LINES;
      if (isNear && open.length < MAX_CLAIMS) open.push(finding);
      else {
        open = [finding];
        groups.push(open);
      }
    }
  }
  const worstOf = (group: readonly Finding[]) =>
    group.map(({ severity }) => severity).reduce(worseSeverity);
  return groups.toSorted((a, b) => compareSeverity(worstOf(a), worstOf(b)));
}

interface ClaimSurroundings {
  /** The files of the whole diff. */
  readonly files: readonly DiffFile[];
  /** The lines that the finder was shown. */
  readonly shownFiles: ShownFiles;
}

/** The message to a verifier, and the lines of files that it shows. */
export interface DescribedClaims {
  readonly message: string;
  readonly shown: readonly ShownLines[];
}

/**
 * The message to a verifier: each claim in its own words, and the code around all of them.
 * Severity, confidence and finder are left out, because a verifier that knows them judges them
 * instead.
 */
export function describeClaims(
  group: readonly Finding[],
  surroundings: ClaimSurroundings,
): DescribedClaims {
  const around = describeAround(group, surroundings);
  const opening =
    group.length === 1
      ? 'Decide on this claim about the pull request.'
      : `Decide on these ${group.length} claims about the pull request, each by itself.`;
  const claims = group.flatMap((finding, index) => describeClaim(finding, index + 1));
  const evidence = group.flatMap((finding) => finding.evidence);
  return {
    message: [opening, FENCE_NOTICE, ...claims, ...around.blocks].join('\n\n'),
    shown: [...evidence.map(shownEvidence), ...around.shown],
  };
}

/** Maximum code points of a path. */
const MAX_PATH = 300;

function describeClaim(finding: Finding, number: number): readonly string[] {
  const { path, line, startLine, side, title, body, trigger, evidence, suggestion } = finding;
  const range = startLine === undefined ? `line ${line}` : `lines ${startLine} to ${line}`;
  const version = side === 'RIGHT' ? 'after the change' : 'before the change';
  const words = [title, body, ...(trigger === undefined ? [] : [`When: ${trigger}`])];
  const offered = suggestion === undefined ? [] : [suggestion];
  return [
    `Claim ${number}, on ${range} of the file ${version}:`,
    fence([`File: ${showName(path, MAX_PATH)}`, ...words].join('\n'), {
      source: `claim ${number}`,
    }),
    ...fenced(evidence.map(formatEvidence), `evidence of claim ${number}`),
    ...fenced(offered, `suggestion of claim ${number}, in place of ${range}`),
  ];
}

/**
 * The message to a verifier about a finding that is reported as over: the words of the finding, the
 * lines that are said to end it, and the code around both places.
 */
export function describeSettlement(
  { finding, evidence, byTest }: Settlement,
  surroundings: ClaimSurroundings,
): DescribedClaims {
  const { path, line, side, code = '', title, body, isGone } = finding;
  const after = evidence.map((ending) => ({
    path: ending.path,
    side: 'RIGHT' as const,
    line: ending.line,
  }));
  const around = describeAround([{ path, side, line }, ...after], surroundings);
  const place = isGone ? 'on a line that is not in the diff any more' : `on line ${line}`;
  const claim = [`File: ${showName(path, MAX_PATH)}`, `Its line then: ${code}`, body || title].join(
    '\n',
  );
  const blocks = [
    'Decide whether this claim about the pull request is still true of the code as it is now.',
    FENCE_NOTICE,
    `Claim 1, ${place}:`,
    fence(claim, { source: 'claim 1' }),
    ...fenced(evidence.map(formatEvidence), 'lines that are said to end it'),
    ...(byTest === undefined ? [] : [TEST_PASSES]),
    ...around.blocks,
  ];
  return { message: blocks.join('\n\n'), shown: around.shown };
}

const TEST_PASSES =
  'A test that failed because of the claim passes now. That alone does not say that the claim is over: the test could be weak, or what it runs in could have changed.';

function shownEvidence({ path, line, code }: Evidence): ShownLines {
  return { path, side: 'RIGHT', firstLine: line, lines: [code] };
}

function formatEvidence({ path, line, code }: Evidence): string {
  return `${path}:${line}: ${code}`;
}

function fenced(lines: readonly string[], source: string): readonly string[] {
  return lines.length === 0 ? [] : [fence(lines.join('\n'), { source })];
}

type ClaimedLines = Pick<Finding, 'path' | 'side' | 'line' | 'startLine'>;

/** Lines above and below a claim that the verifier sees. */
const AROUND = 40;

/** Maximum bytes of a file that the verifier sees. */
const MAX_TOLD_BYTES = 48 * 1024;

/** The known code around lines, file by file. The lines in `shown` count as evidence. */
function describeAround(places: readonly ClaimedLines[], surroundings: ClaimSurroundings) {
  const files = [...groupBy(places, ({ path }) => path)].map(([path, claimed]) => {
    const rows = rowsOf(path, surroundings);
    const rowAt = (side: Side, line: number) => rows.find((row) => row[side] === line)?.at ?? line;
    const spans = claimed.map(
      ({ side, line, startLine = line }) =>
        [rowAt(side, startLine) - AROUND, rowAt(side, line) + AROUND] as const,
    );
    const near = rows.filter((row) => spans.some(([from, to]) => row.at >= from && row.at <= to));
    return { path, rows: fitting(near) };
  });
  return {
    blocks: files.flatMap(({ path, rows }) => {
      const lines = rows.map(({ text }) => text);
      return fenced(lines, `${showName(path, MAX_PATH)} with the change`);
    }),
    shown: files.flatMap(({ path, rows }) =>
      rows.flatMap(({ LEFT, RIGHT, code }): readonly ShownLines[] => {
        const firstLine = RIGHT ?? LEFT;
        const side = RIGHT === undefined ? 'LEFT' : 'RIGHT';
        return firstLine === undefined ? [] : [{ path, side, firstLine, lines: [code] }];
      }),
    ),
  };
}

/**
 * A line of a file with the change in it, with its number on each side that has it. `at` is its
 * position in the new version, by which rows are sorted.
 */
interface Row {
  readonly at: number;
  readonly LEFT?: number;
  readonly RIGHT?: number;
  readonly code: string;
  readonly text: string;
}

/**
 * The lines of the diff of a file, and other lines of its new version that the finder was shown.
 */
function rowsOf(path: string, { files, shownFiles }: ClaimSurroundings): readonly Row[] {
  const rows: Row[] = [];
  const hunks = files.filter((file) => file.path === path).flatMap((file) => file.hunks);
  for (const { newStart, newLines, lines } of hunks) {
    // A hunk without new lines names the line before it.
    let position = newLines === 0 ? newStart + 1 : newStart;
    for (const line of lines) {
      const { text: code } = line;
      const text = numberLine(line);
      if (line.kind === 'removed') rows.push({ at: position, LEFT: line.oldLine, code, text });
      else {
        const { newLine } = line;
        const oldLine = line.kind === 'added' ? undefined : line.oldLine;
        rows.push({ at: newLine, LEFT: oldLine, RIGHT: newLine, code, text });
        position = newLine + 1;
      }
    }
  }
  const inDiff = new Set(rows.map(({ RIGHT }) => RIGHT));
  for (const [number, code] of shownFiles.of(path, 'RIGHT')?.lines ?? [])
    if (!inDiff.has(number)) {
      const text = numberLine({ kind: 'context', newLine: number, text: code });
      rows.push({ at: number, RIGHT: number, code, text });
    }
  return rows.toSorted((a, b) => a.at - b.at);
}

/** The first rows, as many as fit into the byte limit of a file. */
function fitting(rows: readonly Row[]): readonly Row[] {
  let free = MAX_TOLD_BYTES;
  const end = rows.findIndex(({ text }) => {
    free -= utf8Bytes(fencedText(text)) + 1;
    return free < 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

export const VERDICT_KINDS = ['holds', 'refuted', 'unclear'] as const;

export interface FindingVerdict {
  readonly kind: (typeof VERDICT_KINDS)[number];
  /** Number of the claim, from 1; left out for the only one. */
  readonly claim?: number;
  /** The lines that refute or prove it; left out: none. */
  readonly evidence?: readonly Evidence[];
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  /** False: the suggestion does not fix it, or breaks something else. */
  readonly suggestionFixes?: boolean;
  readonly reason: string;
}

/** Maximum code points of a reason. */
const MAX_REASON = 400;

/** Collects the verdicts of one verifier on its claims; each claim has one. */
export class VerdictCollector {
  readonly #given = new Map<string, FindingVerdict>();
  /**
   * Claims whose refutation names no line that was shown. They count as unclear unless the verifier
   * gives a better verdict.
   */
  readonly #unproven = new Map<string, FindingVerdict>();

  /**
   * `ids` are the findings in the order of their claims; `shownFiles` are the lines that this
   * verifier was shown.
   */
  constructor(
    private readonly ids: readonly string[],
    private readonly shownFiles: ShownFiles,
  ) {}

  get isComplete(): boolean {
    return this.ids.every((id) => this.#given.has(id));
  }

  get all(): ReadonlyMap<string, FindingVerdict> {
    return new Map([...this.#unproven, ...this.#given]);
  }

  /** Records a verdict, or says why not. */
  give(proposed: FindingVerdict): PublicationAnswer {
    const { claim = this.ids.length === 1 ? 1 : undefined, evidence = [] } = proposed;
    const id = claim === undefined ? undefined : this.ids[claim - 1];
    if (id === undefined)
      return refusedAnswer(
        `Not accepted: say in \`claim\` which one, from 1 to ${this.ids.length}.`,
      );
    if (this.#given.has(id))
      return refusedAnswer(`Not accepted: claim ${claim} already has its verdict.`);
    const verdict = { ...proposed, reason: cleanLine(proposed.reason, MAX_REASON) };
    const problem = proposed.kind === 'refuted' ? this.#problemOf(evidence) : undefined;
    if (problem !== undefined) {
      this.#unproven.set(id, { ...verdict, kind: 'unclear' });
      return refusedAnswer(problem);
    }
    this.#given.set(id, verdict);
    const remaining = this.ids.length - this.#given.size;
    const more = remaining === 0 ? '' : ` ${count(remaining, 'claim')} left.`;
    return acceptedAnswer(`Taken: claim ${claim}: ${verdict.kind}.${more}`);
  }

  /** A refutation needs a line, and one that the verifier has seen. */
  #problemOf(evidence: readonly Evidence[]): string | undefined {
    const checks = evidence
      .slice(0, MAX_EVIDENCE)
      .map((quoted) => checkEvidence(quoted, this.shownFiles));
    if (checks.some((check) => typeof check !== 'string')) return undefined;
    const [first] = checks;
    if (typeof first === 'string') return `Not accepted: ${first}`;
    return 'Not accepted: `refuted` needs in `evidence` the line that refutes the claim, copied as it is. Without such a line the verdict is `unclear`.';
  }
}

type VerdictScope = Pick<FindingContext, 'overrides' | 'isRead'> &
  Pick<PublishRules, 'minSeverity'>;

/**
 * The findings of a run after their second look. Only a verdict removes a finding. A missing
 * verdict, because the verifier failed or the budget was spent, leaves the finding unchanged and is
 * counted. `requested` are the ids of the findings for which a second look was requested.
 */
export function applyVerdicts(
  buffered: BufferedPublications,
  requested: ReadonlySet<string>,
  verdicts: ReadonlyMap<string, FindingVerdict>,
  scope: VerdictScope,
): BufferedPublications {
  const findings: PlacedFinding[] = [];
  const refuted = [...buffered.refuted];
  for (const placed of buffered.findings) {
    const { finding } = placed;
    const verdict = requested.has(finding.id) ? verdicts.get(finding.id) : undefined;
    const drop = (cause: RefutationReason, dropped = finding) =>
      refuted.push({ finding: dropped, why: cause, reason: verdict?.reason ?? '' });
    if (verdict === undefined) findings.push(placed);
    else if (verdict.kind === 'refuted') drop('refuted');
    else if (verdict.kind === 'unclear') {
      const isBad = isAtLeast(finding.severity, 'major');
      if (isBad) findings.push({ ...placed, finding: { ...finding, confidence: 'unsure' } });
      else drop('unclear');
    } else {
      const confirmed = corrected(finding, verdict, scope);
      if (isAtLeast(confirmed.severity, scope.minSeverity))
        findings.push({ ...placed, finding: confirmed });
      else drop('below-min-severity', confirmed);
    }
  }
  const unverified = buffered.unverified + [...requested].filter((id) => !verdicts.has(id)).length;
  return { ...buffered, findings, refuted, unverified };
}

function corrected(
  raised: Finding,
  { effect = raised.effect, reach = raised.reach, suggestionFixes = true }: FindingVerdict,
  { isRead, overrides }: VerdictScope,
): Finding {
  const { path, category, suggestion } = raised;
  const isInSource = isSourceFile(path, isRead(path));
  const severity =
    effect === undefined || reach === undefined
      ? raised.severity
      : severityOf({ effect, reach, category, isInSource, overrides });
  return {
    ...raised,
    suggestion: suggestionFixes ? suggestion : undefined,
    effect,
    reach,
    severity,
    confidence: 'confirmed',
  };
}
