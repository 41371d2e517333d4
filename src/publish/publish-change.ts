import { type Repository, subjectNumber } from '../event/trigger.js';
import type { PullRequestDraft } from '../findings/buffered-publications.js';
import { withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import {
  commitEdits,
  type FileEdits,
  proposeChange,
  refusedChange,
} from '../github/posting/commit-edits.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import { warningText } from '../lib/errors.js';
import { cameToNothing, isCutShort } from '../lib/outcome.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import { formatPatch } from '../lib/text/diff.js';
import { codeBlock, codeSpan, count, formatInteger, quoteLine } from '../lib/text/format.js';
import { textId } from '../lib/text/text-id.js';
import { memoryName } from '../memory/paths.js';
import type { PublishRequest } from '../run/dependencies.js';
import { cleanFor } from '../run/outbound.js';
import { sanitize } from '../safety/sanitize.js';
import { disarmUrl, isReferenceUrl } from '../safety/words.js';
import { joinEdits } from '../tools/workspace/changes.js';
import { type ActionPublisherOptions, footer, writtenBy } from './answer.js';

/** The result of publishing the files that a run has changed. */
interface PublishedChange {
  /** Computed, for the entry: names the pull request, its branch and the files. */
  readonly line?: string;
  /** For the people who asked. */
  readonly said?: string;
  /** Markdown for the job summary. */
  readonly details?: string;
  readonly url?: string;
  /** The publications; left out where there are none. */
  readonly posts?: readonly Posted[];
  /** The reason for which the requested change was not published; the run fails for it. */
  readonly failure?: string;
}

/**
 * Opens the pull request, or pushes the commits, that a run asks for. If that is not allowed, or
 * GitHub refuses, the patch is in the job summary; a change that breaks a rule is shown nowhere.
 * Does not throw: an error is a warning.
 */
export async function publishChange(
  end: PublishRequest,
  options: ActionPublisherOptions,
): Promise<PublishedChange> {
  const { plan, outcome, buffered, onlyPatch } = end;
  const { changes, client, secrets } = options;
  const { pullRequest: draft, commits } = buffered;
  if (changes === undefined || client === undefined || plan.trigger.kind === 'local') return {};
  const { edits, problem } = changes.made;
  const hasAnswer = !cameToNothing(outcome);
  const isEnded = hasAnswer && !isCutShort(outcome);
  if (draft === undefined && commits.length === 0) {
    if (edits.size === 0) return {};
    // The answer may well say that all is done; without one there is nothing to correct.
    const tell = (cause: string) => (hasAnswer ? `Nothing was committed: ${cause}` : undefined);
    if (problem !== undefined) return { said: tell(`${problem}.`) };
    const details = `The agent changed ${count(edits.size, 'file')} but did not ask for a pull request.`;
    const { where, text } = describePatch(edits, secrets);
    const reason = isEnded ? 'the agent did not ask for it' : 'the run did not finish';
    return { said: tell(`${reason}. ${where}`), details: `${details} ${text}` };
  }
  const nothing = draft === undefined ? NOT_PUSHED : NOT_OPENED;
  if (problem !== undefined) {
    const remedy = 'Run it again, or change the files by hand.';
    return failed(nothing, { message: problem, remedy }, undefined, options);
  }
  const hindrance = isEnded ? onlyPatch : 'the run did not finish';
  if (hindrance !== undefined) return notPublished(nothing, hindrance, edits, secrets);
  const publishing = { ...options, changes, client, repository: plan.trigger.repository };
  return draft === undefined ? await push(end, publishing) : await open(draft, end, publishing);
}

const NOT_OPENED = 'No pull request was opened';
const NOT_PUSHED = 'Nothing was pushed';

/** Everything that publishing a change needs. */
interface Publishing extends ActionPublisherOptions {
  readonly changes: NonNullable<ActionPublisherOptions['changes']>;
  readonly client: GitHubClient;
  readonly repository: Repository;
}

async function open(
  draft: PullRequestDraft,
  end: PublishRequest,
  options: Publishing,
): Promise<PublishedChange> {
  const { changes, client, repository } = options;
  const { plan, word } = end;
  const { edits } = changes.made;
  const clean = cleanFor(word, options);
  const { trigger } = plan;
  const subjectNo = subjectNumber(trigger);
  const isClosed = 'isClosed' in trigger && trigger.isClosed;
  // Runs of the agent that are about the same have one pull request. Each task that a person gives
  // is another one.
  const purpose =
    trigger.kind === 'dispatch' ? `${options.workflow}\n${plan.task.sentence}` : options.workflow;
  const subject = String(subjectNo ?? textId(purpose).slice(2, 10));
  const task = trigger.kind === 'comment' ? `${subject}-${trigger.commentId}` : subject;
  const by = `${writtenBy(plan.agent.name)}${subjectNo === undefined ? '' : ` for #${subjectNo}`}`;
  const result = await withGitHub(async (signal) => {
    const { branch: read, isForeign } = await changes.head();
    const change = {
      repository,
      // The branch of what was merged leads nowhere.
      base: draft.base ?? (isForeign || isClosed ? repository.defaultBranch : read),
      isBaseAsked: draft.base !== undefined,
      branch: `axe/${memoryName(plan.agent.name).replace(/[^\w.-]+/g, '-')}/${task}`,
      edits,
      message: commitLine(draft.title, options.secrets),
      title: sanitize(draft.title, 'title', options.secrets),
      body: `${clean(draft.body)}\n\n${footer(by, options)}`,
      mark: { kind: 'change', agent: plan.agent.name, key: task },
    } as const;
    return await proposeChange(client, change, signal);
  });
  if (result instanceof GitHubError) return failed(NOT_OPENED, result, edits, options);
  const { number, url, branch, created, isByJob } = result;
  const action = `${created ? 'Opened' : 'Updated'} the pull request #${number}`;
  return {
    line: `${action} (\`${branch}\`): ${filesOf(edits)}.`,
    said: `${action}.`,
    details: pullLink(number, url, isByJob),
    url,
    posts: [{ kind: 'pull-request', number, url, ...updateOf(created) }],
  };
}

/**
 * A line of a commit message, in which mentions and references act, and some words in brackets stop
 * workflows. What is left of one may be another, so it is done until nothing changes.
 */
function commitLine(text: string, secrets: readonly string[]): string {
  const line = sanitize(text, 'title', secrets)
    .replace(/[#@]+(?=\w)|(?<![a-z\d])GH-(?=\d)/gi, '')
    .replace(/\[+(skip ci|ci skip|no ci|skip actions|actions skip)\]+/gi, '$1')
    .replace(/(?:https?:\/\/|www\.)\S+/gi, (url) =>
      isReferenceUrl(url) ? disarmUrl(url).text : url,
    );
  return line === text ? line : commitLine(line, secrets);
}

function pullLink(number: number | undefined, url: string, isByJob: boolean): string {
  return `[Pull request #${number}](${url})${isByJob ? `. ${WAITS}` : ''}`;
}

const WAITS =
  "Its workflows wait for a person's approval, because the job's own token made the commit. With the token of a GitHub App (`github-token`) they start at once.";

/** Pushes the commits of a run, one after the other: where one fails, those before it stay. */
async function push(
  { plan: { trigger }, buffered: { commits } }: PublishRequest,
  options: Publishing,
): Promise<PublishedChange> {
  const { changes, client, repository } = options;
  const parts = changes.made.editsOf(commits.map((commit) => commit.number));
  const made: Awaited<ReturnType<typeof commitEdits>>[] = [];
  let branch = '';
  let trouble: GitHubError | undefined;
  for (const [index, edits] of parts.entries()) {
    const result = await withGitHub(async (signal) => {
      const head = await changes.head();
      branch = head.branch;
      if (head.isForeign)
        throw refusedChange('the branch of the pull request is in another repository');
      if (branch === repository.defaultBranch)
        throw refusedChange(`${quoteLine(branch)} is the default branch`);
      const { message = '', fixes } = commits[index] ?? {};
      const body = fixes && commitLine(`Fixes ${fixes.handle}: ${fixes.title}`, options.secrets);
      const texts = { headline: commitLine(message, options.secrets), body };
      return await commitEdits(client, { repository, branch, edits, message: texts }, signal);
    });
    if (result instanceof GitHubError) {
      trouble = result;
      break;
    }
    made.push(result);
  }
  const [first] = made;
  if (first === undefined && trouble !== undefined)
    return failed(NOT_PUSHED, trouble, changes.made.edits, options);
  const number = subjectNumber(trigger);
  const names = made.map(({ oid }, index) => {
    const { fixes } = commits[index] ?? {};
    return `${oid.slice(0, 7)}${fixes === undefined ? '' : ` (${fixes.handle})`}`;
  });
  const action = `Pushed ${names.join(', ')} to ${codeSpan(branch)}`;
  const url = `${first?.url}/pull/${number}`;
  const sentence = `${action}.`;
  const details = pullLink(number, url, first?.isByJob === true);
  const line = `${action} of #${number}: ${filesOf(joinEdits(parts.slice(0, made.length)))}.`;
  const posts: readonly Posted[] = [{ kind: 'commits', number, url }];
  const pushed = { line, said: sentence, details, url, posts };
  if (trouble === undefined) return pushed;
  const rest = failed(
    'The rest was not pushed',
    trouble,
    joinEdits(parts.slice(made.length)),
    options,
  );
  return {
    ...pushed,
    said: `${sentence} ${rest.said}`,
    details: `${details}\n\n${rest.details}`,
    failure: rest.failure,
  };
}

/** The texts for a change that is not published, with its patch if that can be shown. */
function notPublished(
  nothing: string,
  reason: string,
  edits: FileEdits | undefined,
  secrets: readonly string[],
): PublishedChange {
  const sentence = `${nothing}: ${reason}.`;
  if (edits === undefined) return { said: sentence, details: sentence };
  const { where, text } = describePatch(edits, secrets);
  return { said: `${sentence} ${where}`, details: `${sentence} ${text}` };
}

/** The texts for a change that could not be published; `nothing` names what is missing. */
function failed(
  nothing: string,
  { message: reason, remedy }: { readonly message: string; readonly remedy?: string },
  edits: FileEdits | undefined,
  { reporter, secrets }: ActionPublisherOptions,
): PublishedChange {
  const message = `${nothing.replace(/^./, (letter) => letter.toLowerCase())}: ${reason}`;
  const patchPlace = edits && describePatch(edits, secrets).where;
  const warning = { code: 'publish-failed', message, remedy: remedy ?? patchPlace } as const;
  reporter.warn(warning);
  return { ...notPublished(nothing, reason, edits, secrets), failure: warningText(warning) };
}

const MAX_NAMED = 5;

function filesOf(edits: FileEdits): string {
  const names = [...edits.keys()].slice(0, MAX_NAMED).map((path) => `\`${path}\``);
  const more = edits.size - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Leaves room for the answer in the job summary. */
const MAX_PATCH_BYTES = 200_000;

/**
 * The command that makes the change by hand, as markdown, or why there is none; `where` is one
 * sentence.
 */
function describePatch(edits: FileEdits, secrets: readonly string[]) {
  const unshown = (reason: string) => ({ where: reason, text: reason });
  const patch = [...edits]
    .map(([path, { before, after }]) => formatPatch(path, before, after))
    .join('');
  const bytes = utf8Bytes(patch);
  if (bytes > MAX_PATCH_BYTES)
    return unshown(
      `Its patch has ${formatInteger(bytes)} bytes, too many for the job summary. Ask for a smaller change.`,
    );
  // No line of a patch is the last word: each begins with a mark or a word of git's.
  const command = codeBlock(`git apply <<'END_OF_PATCH'\n${patch}END_OF_PATCH`, 'sh');
  // A carriage return that becomes a line break on the way could end the patch and begin a command.
  if (sanitize(command, 'summary', secrets) !== command)
    return unshown(
      'Its patch cannot be shown: the files have line breaks of another kind, characters that readers cannot see, or what looks like a secret.',
    );
  return {
    where: 'The patch is in the job summary.',
    text: `Read the patch first, then apply it with this command:\n\n${command}`,
  };
}
