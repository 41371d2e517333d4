import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CATEGORIES, EFFECTS, REACHES } from '../src/findings/finding.js';
import { UsageError } from './case.js';
import type { LoadedCase } from './load.js';
import { playFirst, type Setting } from './play.js';
import { SHARE_HEAD, shareRow, table } from './report.js';
import type { Script } from './script.js';
import type { World } from './world.js';

/** Where the claims of this project are. */
export const CLAIMS = join(import.meta.dirname, 'claims.json');

const TEXT = v.pipe(v.string(), v.nonEmpty());
const LINE = v.strictObject({
  path: TEXT,
  line: v.pipe(v.number(), v.integer(), v.minValue(1)),
  code: TEXT,
});

/** A finding about the head of a case, and whether it holds. */
const CLAIM = v.strictObject({
  case: TEXT,
  holds: v.boolean(),
  ...LINE.entries,
  title: TEXT,
  body: TEXT,
  category: v.picklist(CATEGORIES),
  effect: v.picklist(EFFECTS),
  reach: v.picklist(REACHES),
  /** The line that decides it. */
  decides: LINE,
  why: TEXT,
});

/** A finding about the head of a case, and whether it holds. */
export type Claim = v.InferOutput<typeof CLAIM>;

/** Reads the claims. Throws with the place of what is wrong in them. */
export function loadClaims(file = CLAIMS): readonly Claim[] {
  const read = v.safeParse(v.array(CLAIM), JSON.parse(readFileSync(file, 'utf8')));
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new UsageError(`${file}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
}

/** What a second look made of a claim; `lost`: it never came so far. */
export type ClaimFate = 'kept' | 'refuted' | 'lost';

/** A claim with what a second look made of it. */
export interface JudgedClaim {
  readonly claim: Claim;
  readonly fate: ClaimFate;
  readonly costUsd: number;
}

/** What claims are judged with. */
export interface JudgingClaims {
  readonly claims: readonly Claim[];
  readonly cases: readonly LoadedCase[];
  /** Who takes the second look; the reviewer is scripted, and raises the claim. */
  readonly setting: Setting;
  readonly rounds: number;
}

/**
 * Has every claim raised by a scripted reviewer, one a run, and looked at by the second look of the
 * setting.
 */
export async function judgeClaims(
  world: World,
  { claims, cases, setting, rounds }: JudgingClaims,
): Promise<readonly JudgedClaim[]> {
  const judged: JudgedClaim[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const claim of claims) {
      const loaded = cases.find(({ about }) => about.name === claim.case);
      if (loaded === undefined) throw new UsageError(`there is no case named ${claim.case}`);
      if (!setting.mayGoOn()) return judged;
      const { posted, refuted, usage } = await playFirst(world, loaded, raising(claim, setting));
      const isIn = (all: typeof posted) => all.some(({ title }) => title === claim.title);
      const fateUnlessPosted = isIn(refuted) ? 'refuted' : 'lost';
      const fate = isIn(posted) ? 'kept' : fateUnlessPosted;
      judged.push({ claim, fate, costUsd: usage.costUsd });
    }
  }
  return judged;
}

/** The setting with a reviewer that raises one claim and nothing else. */
function raising(claim: Claim, setting: Setting): Setting {
  const script = scriptOf(claim);
  return {
    ...setting,
    source: (about, run) => {
      const verifier = setting.source(about, run);
      return verifier?.kind === 'live'
        ? { kind: 'split', script, verifier }
        : { kind: 'script', script };
    },
  };
}

/** A reviewer that raises the claim, and a second look that decides it by the line that does. */
function scriptOf({ holds, decides, why, case: _, ...finding }: Claim): Script {
  const raise = { tool: 'add_review_comment', input: finding };
  const verdict = holds ? ('holds' as const) : ('refuted' as const);
  const look = [{ tool: 'github_file', input: { path: decides.path } }];
  return {
    turns: [[raise, { tool: 'submit_review', input: { summary: 'One claim.' } }]],
    verdicts: [{ title: finding.title, look, verdict, evidence: [decides], reason: why }],
  };
}

/** Whether the second look decided a claim as it is. */
export function isRight({ claim, fate }: JudgedClaim): boolean {
  return fate === (claim.holds ? 'kept' : 'refuted');
}

/** What the second look made of the claims, in markdown. */
export function formatClaims(
  setting: string,
  judged: readonly JudgedClaim[],
  isOfModel: boolean,
): string {
  const row = (name: string, all: readonly JudgedClaim[], fate: ClaimFate) =>
    shareRow(name, { count: all.filter((one) => one.fate === fate).length, of: all.length });
  const of = (holds: boolean) => judged.filter(({ claim }) => claim.holds === holds);
  const wrong = judged.filter(({ claim, fate }) => fate === (claim.holds ? 'refuted' : 'kept'));
  const cost = judged.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return [
    `## ${setting}: second looks at ${judged.length} claims`,
    table(SHARE_HEAD, [
      row('true and refuted', of(true), 'refuted'),
      row('untrue and kept', of(false), 'kept'),
      row('never looked at', judged, 'lost'),
    ]),
    wrong
      .map(({ claim, fate }) => `- ${fate}: ${claim.case}, ${claim.title} (${claim.why})`)
      .join('\n'),
    isOfModel ? `Cost: $${cost.toFixed(4)}.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
