import { cleanLine, utf8Bytes } from '../lib/text/cut.js';
import type { DiffFile, DiffLine } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { FENCE_NOTICE, fence } from '../safety/fence.js';
import { checkEvidence, linesOfDiff, MAX_EVIDENCE, type ShownFiles, type ShownLines } from './evidence.js';
import type { Evidence, Finding, FindingEffect, Reach, Side } from './finding.js';
import type { PlacedFinding } from './place.js';
import { type PublicationAnswer, refused, taken } from './publish-rules.js';
import type { Settlement } from './seen.js';
import { compareSeverity, worse } from './severity.js';

/** Findings that one verifier looks at: of one file, near to each other. */
type ClaimGroup = readonly [PlacedFinding, ...PlacedFinding[]];

/** Findings of one file within so many lines are judged together, since they rest on the same code, and so many at most. */
const NEAR_LINES = 60;
const MAX_CLAIMS = 3;

/** Puts findings together for their second look, the worst first: money may end in the middle. */
export function groupClaims(findings: readonly PlacedFinding[]): readonly ClaimGroup[] {
  const inOrder = findings.toSorted(({ finding: a }, { finding: b }) => {
    const place = a.path === b.path ? a.side.localeCompare(b.side) || a.line - b.line : 0;
    return a.path === b.path ? place : a.path < b.path ? -1 : 1;
  });
  const groups: [PlacedFinding, ...PlacedFinding[]][] = [];
  for (const placed of inOrder) {
    const open = groups.at(-1);
    const { path, side, line } = placed.finding;
    const first = open?.[0].finding;
    const isNear = first?.path === path && first.side === side && line - first.line <= NEAR_LINES;
    if (open !== undefined && open.length < MAX_CLAIMS && isNear) open.push(placed);
    else groups.push([placed]);
  }
  return groups.toSorted((a, b) => compareSeverity(worstOf(a), worstOf(b)));
}

function worstOf(group: ClaimGroup) {
  const [{ finding: first }, ...others] = group;
  return others.reduce((worst, { finding }) => worse(worst, finding.severity), first.severity);
}

interface ClaimSurroundings {
  /** The files of the whole diff. */
  readonly files: readonly DiffFile[];
  /** What the finder was shown. */
  readonly ledger: ShownFiles;
}

/** The message to a verifier, and the lines of files that it shows. */
export interface DescribedClaims {
  readonly message: string;
  readonly shown: readonly ShownLines[];
}

/** Lines above and below a claim that are told of its file. */
const AROUND = 40;

/** Most bytes of a claim's file, and of its diff, that are told. */
const MAX_TOLD_BYTES = 24 * 1024;

/**
 * What a verifier is told: each claim in its own words, and the code around all of them. Severity, confidence and who found
 * it are left out: a verifier that knows them judges these.
 */
export function describeClaims(group: ClaimGroup, { files, ledger }: ClaimSurroundings): DescribedClaims {
  const [{ finding: first }] = group;
  const lines = group.flatMap(({ finding }) => [finding.startLine ?? finding.line, finding.line]);
  const around = describeAround({ ...first, lines }, { files, ledger });
  const blocks = [
    group.length === 1
      ? 'Decide on this claim about the pull request.'
      : `Decide on these ${group.length} claims about the pull request, each by itself.`,
    FENCE_NOTICE,
    ...group.flatMap(({ finding }, index) => describeClaim(finding, index + 1)),
    ...around.blocks,
  ];
  const evidence = group.flatMap(({ finding }) => finding.evidence);
  return {
    message: blocks.join('\n\n'),
    shown: [
      ...evidence.map(({ path, line, code }) => ({
        path,
        side: 'RIGHT' as const,
        firstLine: line,
        lines: [code],
      })),
      ...around.shown,
    ],
  };
}

interface ClaimedLines {
  readonly path: string;
  readonly side: Side;
  readonly lines: readonly number[];
}

/** The code around lines of a file, as far as it is known: the new version and its part of the diff. */
function describeAround(
  { path, side, lines }: ClaimedLines,
  { files, ledger }: ClaimSurroundings,
): { readonly blocks: readonly string[]; readonly shown: readonly ShownLines[] } {
  const range = { from: Math.max(1, Math.min(...lines) - AROUND), to: Math.max(...lines) + AROUND };
  const name = cleanLine(path, MAX_PATH);
  const head = linesAround(ledger, path, range);
  const hunks = hunksAround(files, { path, side, ...range });
  return {
    blocks: [
      ...(head.length === 0
        ? []
        : [
            fence(head.map(([line, text]) => `${line}: ${text}`).join('\n'), {
              source: `${name} as the pull request has it`,
            }),
          ]),
      ...(hunks.length === 0
        ? []
        : [fence(hunks.flatMap(formatHunk).join('\n'), { source: `diff of ${name}` })]),
    ],
    shown: [
      ...head.map(([firstLine, text]) => ({ path, side: 'RIGHT' as const, firstLine, lines: [text] })),
      ...linesOfDiff([{ path, hunks }]),
    ],
  };
}

/** Code points of a path. */
const MAX_PATH = 300;

function describeClaim(finding: Finding, number: number): readonly string[] {
  const { path, line, startLine, side, title, body, trigger, evidence, suggestion } = finding;
  const range = startLine === undefined ? `line ${line}` : `lines ${startLine} to ${line}`;
  const version = side === 'RIGHT' ? 'after the change' : 'before the change';
  const words = [title, body, ...(trigger === undefined ? [] : [`When: ${trigger}`])];
  const proof = evidence.map((one) => `${one.path}:${one.line}: ${one.code}`);
  return [
    `Claim ${number}, on ${range} of the file ${version}:`,
    fence([`File: ${cleanLine(path, MAX_PATH)}`, ...words].join('\n'), { source: `claim ${number}` }),
    ...(proof.length === 0 ? [] : [fence(proof.join('\n'), { source: `evidence of claim ${number}` })]),
    ...(suggestion === undefined
      ? []
      : [fence(suggestion, { source: `suggestion of claim ${number}, in place of ${range}` })]),
  ];
}

/** The lines from the first on that fit into what may be told: only those count as shown. */
function fitting<Line>(lines: readonly Line[], textOf: (line: Line) => string): readonly Line[] {
  let free = MAX_TOLD_BYTES;
  const end = lines.findIndex((line) => {
    free -= utf8Bytes(textOf(line)) + 1;
    return free < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The lines of the new version as far as the finder was shown them. */
function linesAround(
  ledger: ShownFiles,
  path: string,
  { from, to }: Range,
): readonly (readonly [number, string])[] {
  const lines = ledger.of(path, 'RIGHT')?.lines ?? new Map<number, string>();
  const near = [...lines].filter(([line]) => line >= from && line <= to).toSorted(([a], [b]) => a - b);
  return fitting(near, ([, text]) => text);
}

interface HunkPart {
  readonly lines: readonly DiffLine[];
}

/** What of a file's hunks lies near; a new file is one hunk, however long. */
function hunksAround(
  files: readonly DiffFile[],
  { path, side, from, to }: Range & { readonly path: string; readonly side: Side },
): readonly HunkPart[] {
  const hunks = files.filter((file) => file.path === path).flatMap((file) => file.hunks);
  return hunks.flatMap(({ lines }) => {
    const near = lines.map((line) => isWithin(line, { side, from, to }));
    const [first, last] = [near.indexOf(true), near.lastIndexOf(true)];
    return first < 0 ? [] : [{ lines: fitting(lines.slice(first, last + 1), ({ text }) => text) }];
  });
}

function isWithin(line: DiffLine, { side, from, to }: Range & { readonly side: Side }): boolean {
  const number = numberOn(line, side);
  return number !== undefined && number >= from && number <= to;
}

function numberOn(line: DiffLine, side: Side): number | undefined {
  if (side === 'RIGHT') return line.kind === 'removed' ? undefined : line.newLine;
  return line.kind === 'added' ? undefined : line.oldLine;
}

function formatHunk({ lines }: HunkPart): readonly string[] {
  const [first] = lines;
  if (first === undefined) return [];
  const start = first.kind === 'removed' ? `-${first.oldLine}` : `+${first.newLine}`;
  return [`@@ ${start} @@`, ...lines.map((line) => `${MARKS[line.kind]}${line.text}`)];
}

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '-', context: ' ' };

/** What a verifier is told of a finding that is said to be over: its words, who says so why, and the code of both places. */
export function describeSettlement(
  { finding, reason, evidence }: Settlement,
  surroundings: ClaimSurroundings,
): DescribedClaims {
  const { path, line, side, code = '', title, body, isGone } = finding;
  const places: readonly ClaimedLines[] = [
    { path, side, lines: [line] },
    ...evidence.map((one) => ({ path: one.path, side: 'RIGHT' as const, lines: [one.line ?? 1] })),
  ];
  const around = merged(places).map((place) => describeAround(place, surroundings));
  const where = isGone ? 'on a line that is not in the diff any more' : `on line ${line}`;
  return {
    message: [
      'Decide whether this claim about the pull request is still true of the code as it is now.',
      FENCE_NOTICE,
      `Claim 1, ${where}:`,
      fence([`File: ${cleanLine(path, MAX_PATH)}`, `Its line then: ${code}`, body || title].join('\n'), {
        source: 'claim 1',
      }),
      fence(reason, { source: 'why it is said to be over' }),
      ...(evidence.length === 0
        ? []
        : [
            fence(evidence.map((one) => `${one.path}:${one.line}: ${one.code}`).join('\n'), {
              source: 'lines that are said to end it',
            }),
          ]),
      ...around.flatMap(({ blocks }) => blocks),
    ].join('\n\n'),
    shown: around.flatMap(({ shown }) => shown),
  };
}

/** The lines of one file together. */
function merged(places: readonly ClaimedLines[]): readonly ClaimedLines[] {
  const byFile = new Map<string, ClaimedLines>();
  for (const place of places) {
    const key = `${place.side} ${place.path}`;
    const before = byFile.get(key)?.lines ?? [];
    byFile.set(key, { ...place, lines: [...before, ...place.lines] });
  }
  return [...byFile.values()];
}

export const VERDICT_KINDS = ['holds', 'refuted', 'unclear'] as const;

export interface FindingVerdict {
  readonly kind: (typeof VERDICT_KINDS)[number];
  /** Number of the claim, from 1; left out for the only one. */
  readonly claim?: number;
  /** The lines that refute it, or that it holds by; left out: none. */
  readonly evidence?: readonly Evidence[];
  /** The right line, where the claim names another one. */
  readonly line?: number;
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  /** False: the suggestion does not fix it, or breaks something else. */
  readonly suggestionFixes?: boolean;
  readonly reason: string;
}

/** Code points of a reason. */
const MAX_REASON = 400;

/** Collects the verdicts of one verifier on its claims; each claim has one. */
export class Verdicts {
  readonly #given = new Map<string, FindingVerdict>();
  /** Claims whose refutation named no line that was shown: they are unclear unless the verifier does better. */
  readonly #unproven = new Map<string, FindingVerdict>();

  /** `ids` are the findings in the order of their claims; `ledger` is what this verifier has been shown. */
  constructor(
    private readonly ids: readonly string[],
    private readonly ledger: ShownFiles,
  ) {}

  get isComplete(): boolean {
    return this.ids.every((id) => this.#given.has(id));
  }

  get all(): ReadonlyMap<string, FindingVerdict> {
    return new Map([...this.#unproven, ...this.#given]);
  }

  /** Takes a verdict, or says why not. */
  give(given: FindingVerdict): PublicationAnswer {
    const { claim = this.ids.length === 1 ? 1 : undefined, evidence = [] } = given;
    const id = claim === undefined ? undefined : this.ids[claim - 1];
    if (id === undefined)
      return refused(`Not accepted: say in \`claim\` which one, from 1 to ${this.ids.length}.`);
    if (this.#given.has(id)) return refused(`Not accepted: claim ${claim} already has its verdict.`);
    const verdict = { ...given, reason: cleanLine(given.reason, MAX_REASON) };
    const problem = given.kind === 'refuted' ? this.#problemOf(evidence) : undefined;
    if (problem !== undefined) {
      this.#unproven.set(id, { ...verdict, kind: 'unclear' });
      return refused(problem);
    }
    this.#given.set(id, verdict);
    const left = this.ids.length - this.#given.size;
    const more = left === 0 ? '' : ` ${count(left, 'claim')} left.`;
    return taken(`Taken: claim ${claim}: ${verdict.kind}.${more}`);
  }

  /** A wish refutes nothing, and neither does a line that the verifier has not seen. */
  #problemOf(evidence: readonly Evidence[]): string | undefined {
    const checks = evidence.slice(0, MAX_EVIDENCE).map((one) => checkEvidence(one, this.ledger));
    if (checks.some(({ kind }) => kind === 'shown')) return undefined;
    const [first] = checks;
    if (first?.kind === 'refused') return first.message;
    return 'Not accepted: `refuted` needs in `evidence` the line that refutes the claim, copied as it is. Without such a line the verdict is `unclear`.';
  }
}
