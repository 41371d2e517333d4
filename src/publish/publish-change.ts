import { subjectNumber } from '../event/trigger.js';
import { withGitHub } from '../github/client/ask.js';
import { GitHubError } from '../github/client/errors.js';
import { proposeChange } from '../github/posting/propose-change.js';
import { isCutShort } from '../lib/outcome.js';
import { utf8Bytes } from '../lib/text/cut.js';
import { count, grouped } from '../lib/text/number.js';
import { formatPatch } from '../lib/text/patch.js';
import { warningText } from '../lib/warning.js';
import { memoryName } from '../memory/log-path.js';
import { textId } from '../memory/units.js';
import { sanitize } from '../safety/sanitize.js';
import type { Edits } from '../tools/workspace/changes.js';
import {
  type ActionPublisherOptions,
  cleanFor,
  footer,
  type RunEnd,
  writtenBy,
} from './publisher-options.js';

/** What became of the files that a run has changed. */
interface PublishedChange {
  /** Computed, for the entry: names the pull request, its branch and the files. */
  readonly line?: string | undefined;
  /** For the people who asked. */
  readonly said?: string | undefined;
  /** Markdown for the job summary. */
  readonly details?: string | undefined;
  readonly url?: string | undefined;
  /** Why there is no pull request although nothing forbids it. */
  readonly failure?: string | undefined;
}

/**
 * Opens the pull request that a run wants for what it has changed. Where that may not be, or GitHub refuses, the patch is in the
 * job summary; a change that breaks a rule is shown nowhere. Does not throw: trouble is a warning.
 */
export async function publishChange(end: RunEnd, options: ActionPublisherOptions): Promise<PublishedChange> {
  const { plan, outcome, requested } = end;
  const { changes, client, reporter, secrets } = options;
  const draft = requested.buffered.pullRequest;
  if (changes === undefined || client === undefined || plan.trigger.kind === 'local') return {};
  const { edits, problem } = changes.made;
  if (edits.size === 0 || (draft === undefined && problem !== undefined)) return {};
  if (draft === undefined) {
    const details = `The agent has changed ${count(edits.size, 'file')} and asked for no pull request.`;
    return { details: `${details} ${describePatch(edits, secrets).text}` };
  }
  if (problem !== undefined) {
    const said = `No pull request was opened: ${problem}.`;
    reporter.warn({ code: 'publish-failed', message: said });
    return { said, details: said, failure: said };
  }
  if (isCutShort(outcome) || outcome.kind === 'failed' || outcome.kind === 'refused')
    return unopened(', because the run did not come to its end', edits, secrets);
  if (requested.onlyPatch !== undefined) return unopened(`, because ${requested.onlyPatch}`, edits, secrets);
  const { repository } = plan.trigger;
  const clean = cleanFor(requested.lane, options);
  const task = taskOf(end, options);
  const asked = subjectNumber(plan.trigger);
  const by = `${writtenBy(plan.agent.name)}${asked === undefined ? '' : ` for #${asked}`}`;
  const result = await withGitHub(async (signal) => {
    const title = sanitize(draft.title, 'title', secrets);
    const change = {
      repository,
      base: draft.base ?? (await changes.branch()),
      isBaseAsked: draft.base !== undefined,
      branch: `axe/${memoryName(plan.agent.name).replace(/[^\w.-]+/g, '-')}/${task}`,
      edits,
      message: title,
      title,
      body: `${clean(draft.body)}\n\n${footer(by, options)}`,
      mark: { kind: 'change', agent: plan.agent.name, key: task, lane: requested.lane },
    } as const;
    return await proposeChange(client, change, signal);
  }, 'The patch is in the job summary.');
  if (!(result instanceof GitHubError)) return opened(result, edits);
  const { remedy } = result;
  const warning = {
    code: 'publish-failed',
    message: `no pull request was opened: ${result.message}`,
    remedy,
  } as const;
  reporter.warn(warning);
  return { ...unopened(`: ${result.message}`, edits, secrets), failure: warningText(warning) };
}

/** The same for runs of the agent that are about the same: its subject, or else its workflow. */
function taskOf({ plan: { trigger } }: RunEnd, { workflow }: ActionPublisherOptions): string {
  return String(subjectNumber(trigger) ?? textId(workflow).slice(2, 10));
}

function opened(
  { number, url, branch, created, isByJob }: Awaited<ReturnType<typeof proposeChange>>,
  edits: Edits,
): PublishedChange {
  const what = `${created ? 'Opened' : 'Updated'} the pull request #${number}`;
  const waits =
    "Its workflows wait until a person approves them, because the job's own token has opened it. The token of a GitHub App (`github-token`) starts them at once.";
  return {
    line: `${what} (\`${branch}\`): ${filesOf(edits)}.`,
    said: `${what}.`,
    details: `[Pull request #${number}](${url})${isByJob ? `. ${waits}` : ''}`,
    url,
  };
}

function unopened(why: string, edits: Edits, secrets: readonly string[]): PublishedChange {
  const said = `No pull request was opened${why}.`;
  const { text, isShown } = describePatch(edits, secrets);
  return {
    said: `${said} ${isShown ? 'The patch is in the job summary.' : text}`,
    details: `${said} ${text}`,
  };
}

const MAX_NAMED = 5;

function filesOf(edits: Edits): string {
  const names = [...edits.keys()].slice(0, MAX_NAMED).map((path) => `\`${path}\``);
  const more = edits.size - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What a job summary has room for next to the answer. */
const MAX_PATCH_BYTES = 200_000;

/** The command that makes the change by hand, as markdown, or why there is none. */
function describePatch(edits: Edits, secrets: readonly string[]) {
  const patch = [...edits].map(([path, { before, after }]) => formatPatch(path, before, after)).join('');
  const bytes = utf8Bytes(patch);
  if (bytes > MAX_PATCH_BYTES)
    return {
      isShown: false,
      text: `Its patch has ${grouped(bytes)} bytes, too many for the job summary. Ask for a smaller change.`,
    };
  const longest = Math.max(2, ...(patch.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = '`'.repeat(longest + 1);
  // No line of a patch is the last word: each begins with a mark or a word of git's.
  const command = `${ticks}sh\ngit apply <<'END_OF_PATCH'\n${patch}END_OF_PATCH\n${ticks}`;
  // A carriage return that becomes a line break on the way could end the patch and begin a command.
  if (sanitize(command, 'summary', secrets) !== command)
    return {
      isShown: false,
      text: 'Its patch cannot be shown: the files have line breaks of another kind, characters that readers cannot see, or what looks like a secret.',
    };
  return {
    isShown: true,
    text: `Whoever has read it can make the change with this command:\n\n${command}`,
  };
}
