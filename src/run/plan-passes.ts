import type { ReviewConfig } from '../agent/config.js';
import { REVIEW_PASSES } from '../lib/defaults.js';
import { cleanLine } from '../lib/text/cut.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import type { DiffPolicy } from '../prompt/context.js';
import { mapChange, type PartLimits, splitDiff } from '../prompt/diff-parts.js';
import { resolveTask, type Task, type TaskParts } from '../prompt/task.js';
import { fence } from '../safety/fence.js';
import type { Basis, ReviewPass } from './records.js';

/**
 * How often a change is read: once, unless it does not fit. What is new since an earlier review is read once. `given` is what
 * the task was made from; the warnings take the place of those of a single pass. Undefined for one pass.
 */
export function planPasses(
  { agent: { config }, review }: Basis,
  given: TaskParts & { readonly policy: DiffPolicy },
  task: Task,
):
  | {
      readonly passes: readonly ReviewPass[];
      /** Paths that no pass shows. */
      readonly unseen: readonly string[];
      readonly warnings: readonly Warning[];
    }
  | undefined {
  const { context, scope, policy } = given;
  const isReview = config.tools.includes('add_review_comment') && config.params.responseFormat === undefined;
  if (review.depth === 'quick' || !isReview) return undefined;
  if (context?.kind !== 'pull_request' || scope?.kind === 'since') return undefined;
  const { unseen = [] } = task;
  const messageOf = (diff: string) =>
    resolveTask({ ...given, context: { ...context, diff }, policy: { ...policy, maxTokens: 0 } }).message;
  const { mapTokens, ...limits } = partLimits(config.review, policy);
  const split = unseen.length === 0 ? undefined : splitDiff(context.diff, policy, limits);
  if (split === undefined || split.parts.length < 2) return undefined;
  const files = parseDiff(context.diff);
  const passes = split.parts.map((part, index) => {
    const name = `part ${index + 1} of ${split.parts.length}`;
    const others = files.filter(({ path }) =>
      split.parts.some(({ paths }) => paths.includes(path) && !part.paths.includes(path)),
    );
    const note = partNote(name, mapChange(others, mapTokens));
    return { name, paths: part.paths, message: `${messageOf(part.text)}\n\n${note}` };
  });
  const left = withoutShown(unseen, split);
  return { passes, unseen: left, warnings: warningsOf(task, left) };
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
