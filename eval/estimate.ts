import { estimateText } from '../src/lib/text/truncate.js';
import type { Price } from '../src/loop/budget.js';
import type { Case } from './case.js';
import type { Versions } from './versions.js';

/** Tokens that each request begins with: prompt and tools. */
const FIXED = 4_100;
/** What a tool result adds, and what an answer does. */
const RESULT = 2_100;
const ANSWER = 350;
/** Most of a diff that one pass is shown. */
const WINDOW = 50_000;
/** Turns of a pass beside those that read up on a long diff. */
const TURNS = 6;
/** Diff tokens that lead to one more look into a file. */
const TOKENS_PER_LOOK = 2_000;
const MAX_TURNS = 20;
/** Findings that get a second look, and the turns of each. */
const LOOKS = 2;
const LOOK_TURNS = 4;

/** A guess at what the reviews of a case cost, in US dollars: every turn reads what was there before from the cache. */
export function estimateCase(
  { about, versions }: { readonly about: Case; readonly versions: Versions },
  price: Price,
): number {
  const diffs = [versions.first.diff, ...[...versions.pushes.values()].map(({ fresh }) => fresh)];
  const seconds = [...versions.pulls.values()].flatMap(({ diff }) => [diff, diff, diff]);
  const extra = about.kind === 'lesson' ? seconds : [];
  return [...diffs, ...extra]
    .map((diff) => estimateReview(Math.min(WINDOW, estimateText(diff)), price))
    .reduce((sum, cost) => sum + cost, 0);
}

function estimateReview(diffTokens: number, price: Price): number {
  const turns = Math.min(MAX_TURNS, TURNS + Math.floor(diffTokens / TOKENS_PER_LOOK));
  const pass = estimateTurns(FIXED + diffTokens, turns, price);
  return pass + LOOKS * estimateLook(price);
}

/** A guess at what one second look costs, in US dollars. */
export function estimateLook(price: Price): number {
  return estimateTurns(FIXED + RESULT, LOOK_TURNS, price);
}

function estimateTurns(firstTokens: number, turns: number, price: Price): number {
  const perTurn = RESULT + ANSWER;
  const written = firstTokens + (turns - 1) * perTurn;
  const read = (turns - 1) * firstTokens + (perTurn * (turns - 1) * (turns - 2)) / 2;
  const dollars = written * price.cacheWrite + read * price.cacheRead + turns * ANSWER * price.output;
  return dollars / 1_000_000;
}
