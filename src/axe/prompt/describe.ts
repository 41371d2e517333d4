import { MAX_DESCRIPTION_BYTES, MAX_DIFF_BYTES } from '../defaults.js';
import type {
  Actor,
  CommentTrigger,
  IssueTrigger,
  PullRequestTrigger,
  PushTrigger,
  Repository,
} from '../trigger.js';
import type { Warning } from '../warning.js';
import type { ChangedFile, TriggerContext } from './context.js';
import { cleanLine, cutToBytes } from './cut.js';
import { count, describeDiff, listOf } from './describe-diff.js';
import { fence } from './fence.js';
import type { Parts } from './parts.js';

/**
 * What the model is told of a pull request. What stays the same between two pushes comes first, so that a provider's
 * prompt cache can be of use to the next run.
 */
export function describePullRequest(trigger: PullRequestTrigger, context: TriggerContext | undefined): Parts {
  const { number, head, base } = trigger;
  const draft = trigger.isDraft ? ', a draft' : '';
  const description = describeText(trigger.body, {
    source: `description of pull request #${number}`,
    heading: [`Title: ${trigger.title}`, `Branches: ${base.ref} <- ${head.ref}`],
  });
  const changes = describeChanges(trigger, context);
  return {
    blocks: [
      [
        repositoryFact(trigger.repository),
        `Pull request: #${number} by ${loginOf(trigger.author)}${draft}`,
      ].join('\n'),
      ...description.blocks,
      `Head commit: ${cleanLine(head.sha, MAX_FACT)}`,
      ...changes.blocks,
    ],
    isFenced: true,
    warnings: [...description.warnings, ...changes.warnings],
  };
}

/** What the model is told of an issue. */
export function describeIssue(trigger: IssueTrigger): Parts {
  const description = describeText(trigger.body, {
    source: `description of issue #${trigger.number}`,
    heading: [`Title: ${trigger.title}`],
  });
  const facts = [
    repositoryFact(trigger.repository),
    `Issue: #${trigger.number} by ${loginOf(trigger.author)}, ${cleanLine(trigger.action, MAX_FACT)} by ${loginOf(trigger.actor)}`,
  ];
  return { ...description, blocks: [facts.join('\n'), ...description.blocks] };
}

/** What the model is told of a comment and of what it stands under. */
export function describeComment(trigger: CommentTrigger): Parts {
  const what = trigger.on === 'issue' ? 'issue' : 'pull request';
  const opener = trigger.subjectAuthor === undefined ? '' : ` by ${loginOf(trigger.subjectAuthor)}`;
  const description = describeText(trigger.description, {
    source: `description of ${what} #${trigger.number}`,
    heading: [`Title: ${trigger.title}`],
  });
  const comment = describeText(trigger.body, {
    source: `comment by ${loginOf(trigger.author)}`,
    heading: [],
  });
  const facts = [
    repositoryFact(trigger.repository),
    `The comment stands under: ${what} #${trigger.number}${opener}`,
  ];
  return {
    blocks: [facts.join('\n'), ...description.blocks, ...comment.blocks],
    isFenced: true,
    warnings: [...description.warnings, ...comment.warnings],
  };
}

/** What the model is told of a push. */
export function describePush(trigger: PushTrigger): Parts {
  const facts = [
    repositoryFact(trigger.repository),
    `Pushed by: ${loginOf(trigger.actor)}`,
    `From ${cleanLine(trigger.before, MAX_FACT)} to ${cleanLine(trigger.after, MAX_FACT)}`,
  ];
  const commits = trigger.commits.map(({ sha, message }) => `${sha.slice(0, 7)} ${message.trim()}`);
  if (commits.length === 0) return { blocks: [facts.join('\n')], isFenced: false, warnings: [] };
  const messages = describeText(listOf(commits), { source: 'commit messages', heading: [] });
  return { ...messages, blocks: [facts.join('\n'), ...messages.blocks] };
}

const MAX_FACT = 200;

function repositoryFact({ owner, name }: Repository): string {
  return `Repository: ${cleanLine(owner, MAX_FACT)}/${cleanLine(name, MAX_FACT)}`;
}

function loginOf({ login }: Actor): string {
  return cleanLine(login, MAX_FACT);
}

/** Markdown by somebody else, fenced, with a heading by them too. */
function describeText(
  text: string,
  { source, heading }: { readonly source: string; readonly heading: readonly string[] },
): Parts {
  const { text: kept, leftOutBytes } = cutToBytes(text, MAX_DESCRIPTION_BYTES);
  const body = kept.trim() === '' ? '(empty)' : kept;
  const lines = heading.map((line) => cleanLine(line, MAX_HEADING));
  const blocks = [
    fence([...lines, ...(lines.length > 0 ? [''] : []), body].join('\n'), { source, markdown: true }),
  ];
  if (leftOutBytes === 0) return { blocks, isFenced: true, warnings: [] };
  blocks.push(`The last ${leftOutBytes} bytes of the ${source} are left out.`);
  return { blocks, isFenced: true, warnings: [cutWarning(source, leftOutBytes)] };
}

const MAX_HEADING = 1000;

function cutWarning(source: string, leftOutBytes: number): Warning {
  const kilobytes = Math.round(MAX_DESCRIPTION_BYTES / 1024);
  return {
    code: 'context-truncated',
    message: `the ${source} is longer than ${kilobytes} KiB; the last ${leftOutBytes} bytes were left out`,
  };
}

function describeChanges({ number }: PullRequestTrigger, context: TriggerContext | undefined): Parts {
  if (context?.kind !== 'pull_request') {
    return { blocks: ['Its diff could not be fetched.'], isFenced: false, warnings: [] };
  }
  const { files, filesTotal } = context;
  const diff = describeDiff(context.diff, {
    source: `diff of pull request #${number}`,
    maxBytes: MAX_DIFF_BYTES,
  });
  if (files.length === 0) return { ...diff, blocks: ['Changed files: none', ...diff.blocks] };
  const listed = files.length < filesTotal ? `, of which GitHub lists ${files.length}` : '';
  const blocks = [
    `Changed files: ${filesTotal}${listed} (${count(sum(files, 'additions'), 'line')} added, ${count(sum(files, 'deletions'), 'line')} removed)`,
    fence(listOf(files.map(formatFile)), { source: 'changed files' }),
    ...diff.blocks,
  ];
  return { blocks, isFenced: true, warnings: diff.warnings };
}

function sum(files: readonly ChangedFile[], key: 'additions' | 'deletions'): number {
  return files.reduce((total, file) => total + file[key], 0);
}

function formatFile({ path, status, additions, deletions, previousPath }: ChangedFile): string {
  const from = previousPath === undefined ? '' : ` (from ${cleanLine(previousPath, MAX_HEADING)})`;
  return `${status} ${cleanLine(path, MAX_HEADING)}${from} +${additions} -${deletions}`;
}
