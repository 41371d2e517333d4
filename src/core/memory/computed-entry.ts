import type { Trigger } from '../event/trigger.js';
import type { RunOutcome } from '../outcome.js';
import { count } from '../text/count.js';

/** What the entry of a tainted run is computed from. */
export interface ComputedEntryParts {
  readonly trigger: Trigger;
  /** Other runs are not remembered. */
  readonly outcome: Extract<RunOutcome, { readonly kind: 'completed' }>;
  readonly published: { readonly url: string | undefined };
  /** Where the whole entry stands; of the agent's file name, which is nobody's but the repository's. */
  readonly apart: string;
}

/** What an entry says. */
export interface ComputedEntry {
  readonly task: string;
  readonly result: string;
}

/**
 * Task and result of a run that has read what people without write access wrote: only what we compute from closed sets,
 * numbers, kinds of events, counts, so that nothing a stranger wrote reaches a trusted run by way of memory (D19).
 */
export function computedEntry({ trigger, outcome, published, apart }: ComputedEntryParts): ComputedEntry {
  const { turns, toolCalls } = outcome.stats;
  const work = `completed after ${count(turns, 'turn')} and ${count(toolCalls, 'tool call')}`;
  const posted = published.url === undefined ? '' : ', and posted a comment';
  return { task: subjectOf(trigger), result: `The run ${work}${posted}. ${WHY}, in ${apart}.` };
}

const WHY =
  'It read what people without write access or the open network may have written, so its own words are kept apart';

/** What the run was about, by number: titles, branches and logins are anybody's. */
function subjectOf(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'pull_request':
      return `Pull request #${trigger.number}${atCommit(trigger.head.sha)}`;
    case 'issue':
      return `Issue #${trigger.number}`;
    case 'comment':
      return `Comment on #${trigger.number}`;
    case 'push':
      return 'Push';
    case 'release':
      return 'Release';
    case 'workflow_run':
      return `Workflow run${atCommit(trigger.headSha)}`;
    case 'merge_group':
      return `Merge group${atCommit(trigger.head.sha)}`;
    case 'schedule':
      return 'Schedule';
    case 'dispatch':
      return 'Dispatch';
    case 'unknown':
    case 'local':
      return 'Run';
  }
}

/** The seven digits people know a commit by; of anything that is not a sha, nothing. */
function atCommit(sha: string): string {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha) ? ` at ${sha.slice(0, 7)}` : '';
}
