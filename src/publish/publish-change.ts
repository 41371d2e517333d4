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
import { updateOf } from '../github/posting/posted.js';
import { warningText } from '../lib/errors.js';
import { cameToNothing, isCutShort } from '../lib/outcome.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import { formatPatch } from '../lib/text/diff.js';
import { quoteLine } from '../lib/text/format.js';
import { textId } from '../lib/text/text-id.js';
import { memoryName } from '../memory/paths.js';
import type { PublishRequest } from '../run/dependencies.js';
import { cleanFor } from '../run/outbound.js';
import type { ChangePatch, PublicationResult, UnpublishedChange } from '../run/records.js';
import { sanitize } from '../safety/sanitize.js';
import { disarmUrl, isReferenceUrl } from '../safety/words.js';
import { joinEdits } from '../tools/workspace/changes.js';
import type { ActionPublisherOptions } from './answer.js';
import { formatPatchPlace, MISSING, patchCommand, pullRequestBody } from './views/change.js';

/** The result of publishing the files that a run has changed. */
interface PublishedChange extends Pick<PublicationResult, 'posts' | 'url' | 'change'> {
  /** The reason for which the requested change was not published; the run fails for it. */
  readonly failure?: string;
}

const NO_CHANGE: PublishedChange = { posts: [] };

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
  if (changes === undefined || client === undefined || plan.trigger.kind === 'local')
    return NO_CHANGE;
  const { edits, problem } = changes.made;
  const isEnded = !cameToNothing(outcome) && !isCutShort(outcome);
  if (draft === undefined && commits.length === 0) {
    if (edits.size === 0) return NO_CHANGE;
    const cause = problem === undefined ? unaskedCause(isEnded) : { message: problem };
    const shown = problem === undefined ? edits : undefined;
    return notPublished('unasked', cause, shown, secrets);
  }
  const kind = draft === undefined ? 'commits' : 'pull-request';
  if (problem !== undefined) {
    const remedy = 'Run it again, or change the files by hand.';
    return failed(kind, { message: problem, remedy }, undefined, options);
  }
  if (!isEnded) return notPublished(kind, 'unfinished', edits, secrets);
  if (onlyPatch !== undefined) return notPublished(kind, { limited: onlyPatch }, edits, secrets);
  const publishing = { ...options, changes, client, repository: plan.trigger.repository };
  return draft === undefined ? await push(end, publishing) : await open(draft, end, publishing);
}

function unaskedCause(isEnded: boolean): UnpublishedChange['cause'] {
  return isEnded ? 'not-asked' : 'unfinished';
}

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
      body: pullRequestBody(clean(draft.body), { ...options, agent: plan.agent.name, subjectNo }),
      mark: { kind: 'change', agent: plan.agent.name, key: task },
    } as const;
    return await proposeChange(client, change, signal);
  });
  if (result instanceof GitHubError) return failed('pull-request', result, edits, options);
  const { number, url, branch, created, isByJob } = result;
  const files = [...edits.keys()];
  return {
    url,
    posts: [{ kind: 'pull-request', number, url, branch, files, ...updateOf(created) }],
    change: isByJob ? { isByJob } : {},
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
    return failed('commits', trouble, changes.made.edits, options);
  const number = subjectNumber(trigger);
  const posted = {
    kind: 'commits',
    number,
    url: `${first?.url}/pull/${number}`,
    branch,
    files: [...joinEdits(parts.slice(0, made.length)).keys()],
    commits: made.map(({ oid }, index) => ({ sha: oid, fixes: commits[index]?.fixes?.handle })),
  } as const;
  const change = first?.isByJob === true ? ({ isByJob: true } as const) : {};
  const pushed = { url: posted.url, posts: [posted], change };
  if (trouble === undefined) return pushed;
  const rest = failed('rest', trouble, joinEdits(parts.slice(made.length)), options);
  return { ...pushed, change: { ...change, ...rest.change }, failure: rest.failure };
}

/** A change that is not published, with its patch if that can be shown. */
function notPublished(
  kind: UnpublishedChange['kind'],
  cause: UnpublishedChange['cause'],
  edits: FileEdits | undefined,
  secrets: readonly string[],
): PublishedChange {
  const patch = edits && patchOf(edits, secrets);
  const unpublished = { kind, cause, files: edits?.size ?? 0, patch };
  return { posts: [], change: { unpublished } };
}

/** A change that could not be published. */
function failed(
  kind: UnpublishedChange['kind'],
  { message: reason, remedy }: { readonly message: string; readonly remedy?: string },
  edits: FileEdits | undefined,
  { reporter, secrets }: ActionPublisherOptions,
): PublishedChange {
  const part = notPublished(kind, { message: reason }, edits, secrets);
  const patch = part.change?.unpublished?.patch;
  const message = `${MISSING[kind]}: ${reason}`;
  const patchPlace = patch && formatPatchPlace(patch);
  const warning = { code: 'publish-failed', message, remedy: remedy ?? patchPlace } as const;
  reporter.warn(warning);
  return { ...part, failure: warningText(warning) };
}

/** Leaves room for the answer in the job summary. */
const MAX_PATCH_BYTES = 200_000;

function patchOf(edits: FileEdits, secrets: readonly string[]): ChangePatch {
  const diff = [...edits]
    .map(([path, { before, after }]) => formatPatch(path, before, after))
    .join('');
  const bytes = utf8Bytes(diff);
  if (bytes > MAX_PATCH_BYTES) return { kind: 'too-large', bytes };
  // A carriage return that becomes a line break on the way could end the patch and begin a command.
  const command = patchCommand(diff);
  const isClean = sanitize(command, 'summary', secrets) === command;
  return isClean ? { kind: 'shown', diff } : { kind: 'unclean' };
}
