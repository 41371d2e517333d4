import { REVIEW_PASSES } from '../defaults.js';
import { AxeError } from '../errors.js';
import { CATEGORIES, SEVERITIES } from '../findings/terms.js';
import { REVIEW_DEPTHS } from './choices.js';
import { isOffline, parseModelRef } from './model-ref.js';
import { type AgentProblem, negative, notOneOf } from './problem.js';
import type { RawAgent } from './schema.js';

type RawReview = RawAgent['review'];

/** What is wrong with the keys of `[review]`. */
export function* reviewProblems(review: RawReview): Generator<AgentProblem> {
  yield* notOneOf(review.depth || REVIEW_DEPTHS[0], REVIEW_DEPTHS, ['review', 'depth']);
  yield* verifyModelProblems(review.verify_model);
  for (const [key, usual, most] of NUMBERS) yield* numberProblems(key, review[key], { usual, most });
  yield* notOneOf(review.min_severity || SEVERITIES[0], SEVERITIES, ['review', 'min_severity']);
  for (const category of CATEGORIES) {
    const word = review.severity[category] || SEVERITIES[0];
    yield* notOneOf(word, SEVERITIES, ['review', 'severity', category]);
  }
}

/** Keys with what 0 means, and their largest value. */
const NUMBERS = [
  ['parts', REVIEW_PASSES.parts, REVIEW_PASSES.mostParts],
  ['part_tokens', REVIEW_PASSES.partTokens, REVIEW_PASSES.mostPartTokens],
  ['votes', REVIEW_PASSES.votes, REVIEW_PASSES.mostVotes],
] as const;

interface Limits {
  readonly usual: number;
  readonly most: number;
}

function* numberProblems(
  key: (typeof NUMBERS)[number][0],
  value: number,
  { usual, most }: Limits,
): Generator<AgentProblem> {
  const path = ['review', key];
  yield* negative(value, path, `0 means ${usual}.`);
  if (value <= most) return;
  const remedy = `Give a number from 1 to ${most}; 0 means ${usual}.`;
  yield { message: `${path.join('.')} cannot exceed ${most}`, remedy, path };
}

/** The offline rules understand nothing, so they cannot tell whether a finding holds. */
function* verifyModelProblems(model: string): Generator<AgentProblem> {
  if (model === '') return;
  const path = ['review', 'verify_model'];
  try {
    if (!isOffline(parseModelRef(model))) return;
    const remedy = "Name a model, or leave it out for the agent's own.";
    yield {
      message: `review.verify_model cannot be ${JSON.stringify(model)}, which is not a model`,
      remedy,
      path,
    };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    yield { message: `review.verify_model: ${thrown.message}`, remedy: thrown.remedy ?? '', path };
  }
}
