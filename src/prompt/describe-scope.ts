import type { FetchedChange } from '../event/trigger.js';
import { cleanLine, estimateText } from '../lib/text/cut.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { type Scope, whyFull } from '../review/scope.js';
import { fence } from '../safety/fence.js';
import type { DiffPolicy } from './context.js';
import {
  type DiffDescription,
  describeDiff,
  describeFetched,
  formatFile,
  listOf,
  withoutLines,
} from './describe-change.js';
import { joinParts, NO_PARTS, type Parts } from './describe-talk.js';
import { isReadByPeople, packDiff } from './diff-pack.js';

/**
 * The change of a pull request, or what is new of it since the last review, with the names and sizes of all the rest: a
 * model that has seen a part must not speak for the whole. Without a scope all of it, without a word about earlier reviews.
 */
export function describeScoped(
  pull: FetchedChange,
  {
    scope,
    source,
    policy,
  }: { readonly scope: Scope | undefined; readonly source: string; readonly policy: DiffPolicy },
): Parts {
  if (scope === undefined) return describeFetched(pull, { source, policy });
  if (scope.kind === 'full') {
    return joinParts([describeWhy(scope), describeFetched(pull, { source, policy })]);
  }
  const from = sha(scope.from);
  const { change, isRewritten = false } = scope;
  const fresh =
    change.files.length === 0
      ? NO_PARTS
      : joinParts([
          fenced(change.files.map(formatFile), 'files changed since the last review'),
          describeDiff(change.diff, { source: isRewritten ? source : `${source} since ${from}`, policy }),
          `${isRewritten ? 'This diff is all that the pull request changes in these files, against its base.' : `The old side of this diff is ${from}, not the base.`} Comments can be placed on every line that the pull request changes, in files listed below too: give the line number of the new version, and copy the line into \`code\`.`,
        ]);
  const was = missedBefore(scope, pull);
  const bare = withoutLines(pull, policy).filter((path) => was.paths.has(path));
  const missed = was.files.filter(({ path }) => !bare.includes(path));
  const taken = change.files.length === 0 ? 0 : estimateText(packDiff(change.diff, policy).text);
  return joinParts([
    headingOf(scope, pull),
    fresh,
    { ...NO_PARTS, unseen: [...withoutLines(change, policy), ...bare] },
    describeMissed(missed, { source: `${source}, files that were not shown before`, policy, taken }),
    describeRest(pull, [...change.files, ...missed]),
  ]);
}

/** Paths of the pull request that did not fit into the reviews before, and what the diff has of them. */
function missedBefore({ before, change }: Since, pull: FetchedChange) {
  const { unseen = [] } = before;
  const renamed = change.files.flatMap(({ path, previousPath = path }) =>
    unseen.includes(previousPath) ? [path] : [],
  );
  const paths = new Set([...unseen, ...renamed]);
  return { paths, files: parseDiff(pull.diff).filter(({ path }) => paths.has(path)) };
}

/** Shown as far as there is room; what nobody reads is named only, since it would be sent with each push. */
function describeMissed(missed: readonly DiffFile[], description: DiffDescription): Parts {
  if (missed.length === 0) return NO_PARTS;
  const isOne = missed.length === 1;
  const { policy, taken = 0 } = description;
  const room = policy.maxTokens === 0 ? Number.POSITIVE_INFINITY : policy.maxTokens - taken;
  const read = missed.filter((file) => isReadByPeople(file) || estimateText(file.text) + 2 <= room);
  const others = missed.filter((file) => !read.includes(file)).map(({ path }) => path);
  const names = others.map((path) => cleanLine(path, MAX_NAME));
  return joinParts([
    `${count(missed.length, 'file')} of the pull request ${isOne ? 'was' : 'were'} not shown to you before, or not whole. Review ${isOne ? 'it' : 'them'} too: what follows is all that the pull request changes there, against its base.`,
    read.length === 0 ? undefined : describeDiff(`${read.map(({ text }) => text).join('\n')}\n`, description),
    { ...fenced(names, 'locks and generated files that are not shown'), unseen: others },
  ]);
}

function describeWhy({ why, before }: Extract<Scope, { kind: 'full' }>): string | undefined {
  if (why === 'first' || before === undefined) return undefined;
  const last = `Your last review was of ${sha(before.last)}${before.wasCut ? ' and was cut short' : ''}.`;
  return `${last} You are shown the whole pull request again, because ${whyFull(why)}.`;
}

type Since = Extract<Scope, { kind: 'since' }>;

function headingOf(
  { from, change, hasMerge, before, isRewritten }: Since,
  { filesTotal }: FetchedChange,
): string {
  const files = `${change.files.length} of ${count(filesTotal, 'file')} of the pull request`;
  const heading =
    isRewritten === true
      ? `The branch was rewritten since your last review of ${sha(from)}, by a rebase for example. Changed differently now: ${files}.`
      : `Changed since your last review of ${sha(from)}: ${files}.`;
  const merged = hasMerge ? ' Another branch was merged in between; what that brought is left out.' : '';
  const later = ` A review of ${sha(before.last)} after that was cut short, so what it was shown is shown again.`;
  const cut = before.last === from ? ' That review was cut short.' : later;
  return `${heading}${merged}${before.wasCut ? cut : ''}`;
}

function describeRest(
  { files, filesTotal }: FetchedChange,
  described: readonly { readonly path: string }[],
): Parts {
  const paths = new Set(described.map(({ path }) => path));
  const rest = files.filter(({ path }) => !paths.has(path));
  const unlisted = filesTotal - files.length;
  if (rest.length + unlisted === 0) return NO_PARTS;
  const listed = unlisted > 0 ? `, of which GitHub lists ${rest.length}` : '';
  return joinParts([
    `The rest of the pull request, ${count(rest.length + unlisted, 'file')}${listed}: not changed since that review and not shown here. Do not judge it anew, and do not call the whole pull request clean because of what you see here.`,
    fenced(rest.map(formatFile), 'other files of the pull request'),
  ]);
}

function fenced(lines: readonly string[], source: string): Parts {
  if (lines.length === 0) return NO_PARTS;
  return { blocks: [fence(listOf(lines), { source })] };
}

const SHORT_SHA = 7;
/** Code points of a path. */
const MAX_NAME = 1000;

function sha(commit: string): string {
  return cleanLine(commit.slice(0, SHORT_SHA), SHORT_SHA);
}
