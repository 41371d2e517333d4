import type { LoadedAgent } from '../agent/agent-source.js';
import type { ReviewConfig } from '../agent/config.js';
import { REVIEW_PASSES } from '../lib/defaults.js';
import { cleanLine } from '../lib/text/cut.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import type { DiffPolicy } from '../prompt/context.js';
import { mapChange, type PartLimits, splitDiff } from '../prompt/diff-parts.js';
import { resolveTask, type Task, type TaskParts } from '../prompt/task.js';
import type { ReviewPlan } from '../review/review-plan.js';
import { fence } from '../safety/fence.js';
import type { ReviewPass } from './run-plan.js';

/** What passes are planned from. */
interface PassParts {
  readonly agent: LoadedAgent;
  readonly review: ReviewPlan;
  /** What the task was made from, and what it came to. */
  readonly given: TaskParts & { readonly policy: DiffPolicy };
  readonly task: Task;
}

/** The passes of a review, and what none of them shows. */
interface PlannedPasses {
  readonly passes: readonly ReviewPass[];
  readonly unseen: readonly string[];
  /** In the place of what a single pass would have to warn of. */
  readonly warnings: readonly Warning[];
}

/**
 * How often a change is read: once, unless it does not fit. What is new since an earlier review is read once. Undefined for one pass.
 */
export function planPasses({ agent, review, given, task }: PassParts): PlannedPasses | undefined {
  const { context, scope, policy } = given;
  const { config } = agent;
  const isReview = config.tools.includes('add_review_comment') && config.params.responseFormat === undefined;
  if (review.depth === 'quick' || !isReview) return undefined;
  if (context?.kind !== 'pull_request' || scope?.kind === 'since') return undefined;
  const { unseen = [] } = task;
  const messageOf = (diff: string) =>
    resolveTask({ ...given, context: { ...context, diff }, policy: { ...policy, maxTokens: 0 } }).message;
  const { mapTokens, ...limits } = partLimits(config.review, policy);
  const split = unseen.length === 0 ? undefined : splitDiff(context.diff, policy, limits);
  if (split !== undefined && split.parts.length > 1) {
    const files = parseDiff(context.diff);
    const parts = split.parts.map((part, index) => {
      const name = `part ${index + 1} of ${split.parts.length}`;
      const others = files.filter(({ path }) =>
        split.parts.some(({ paths }) => paths.includes(path) && !part.paths.includes(path)),
      );
      const note = partNote(name, mapChange(others, mapTokens));
      return { name, part, message: `${messageOf(part.text)}\n\n${note}` };
    });
    const passes = parts.map(({ name, part, message }) => ({ name, paths: part.paths, message }));
    const left = withoutShown(unseen, split);
    return { passes, unseen: left, warnings: warningsOf(task, left) };
  }
  return undefined;
}

/** No message shows more of a diff than the policy allows, with what it says of the other parts. */
function partLimits(
  { parts, partTokens }: ReviewConfig,
  { maxTokens }: DiffPolicy,
): PartLimits & { readonly mapTokens: number } {
  const most = maxTokens === 0 ? Number.POSITIVE_INFINITY : maxTokens;
  const mapTokens = Math.min(REVIEW_PASSES.mapTokens, Math.floor(most / 8));
  return { parts, partTokens: Math.min(partTokens, most - mapTokens), mapTokens };
}

function warningsOf({ warnings }: Task, left: readonly string[]): readonly Warning[] {
  const others = warnings.filter(({ code }) => code !== 'context-truncated');
  if (left.length === 0) return others;
  const names = left.slice(0, MAX_NAMED).map((path) => cleanLine(path, MAX_NAME));
  const more = left.length > names.length ? ', …' : '';
  const message = `${count(left.length, 'file')} of the change ${left.length === 1 ? 'is' : 'are'} in no part of the review, or not whole (${names.join(', ')}${more}). Raise \`parts\` in \`[review]\` of the agent, or leave files out with \`paths\`.`;
  return [...others, { code: 'context-truncated', message }];
}

const MAX_NAMED = 5;
const MAX_NAME = 200;

/** Files that GitHub shows no lines of stay unseen, whatever the parts hold. */
function withoutShown(
  unseen: readonly string[],
  { parts, left }: ReturnType<typeof splitDiff>,
): readonly string[] {
  const shown = new Set(parts.flatMap(({ paths }) => paths).filter((path) => !left.includes(path)));
  return [...new Set([...unseen.filter((path) => !shown.has(path)), ...left])];
}

function partNote(name: string, map: string): string {
  return [
    `The change is too large to be read at once. You are shown ${name}; the other parts are reviewed at the same time. Report what you find in your part. Where it depends on another file, read that with your tools. In the summary speak of your part alone, in one or two sentences.`,
    ...(map === ''
      ? []
      : ['Definitions that the other parts change:', fence(map, { source: 'map of the other parts' })]),
  ].join('\n\n');
}
