import {
  type Base,
  type Head,
  isNewRef,
  isRepository,
  type Trigger,
  tagOf,
} from '../../event/trigger.js';
import { orGitHubError } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPullOfCommit, fetchTagRange } from './commits.js';
import { fetchPull } from './subject.js';

/** The commits an event is about. */
export interface SubjectCommits {
  /** Sha, or the default branch where the event is about no commit. */
  readonly head: string;
  /** The branch that the head is on; the default branch where none is known. */
  readonly branch: string;
  readonly base: string;
  /** Anybody may have made the head: it is a fork's, or that could not be told. */
  readonly isForeign: boolean;
  /** Number of the pull request; undefined where there is none. */
  readonly pull: number | undefined;
  readonly isChange: boolean;
}

/**
 * The commits of an event: those it names, so that a push during the run changes nothing, or for a
 * comment that names none the pull request's as they are now. Throws a GitHubError.
 */
export async function subjectCommits(
  client: GitHubClient,
  trigger: Exclude<Trigger, { kind: 'local' }>,
  signal: AbortSignal,
): Promise<SubjectCommits> {
  const { repository } = trigger;
  const { defaultBranch: branch } = repository;
  const none = { head: branch, branch, base: branch, isForeign: false, pull: undefined };
  /** The changes since the previous tag, as the task shows them. */
  async function tagCommits(tag: string, head = `refs/tags/${tag}`): Promise<SubjectCommits> {
    const range = await orGitHubError(
      fetchTagRange(client, repository, tag, signal),
      'denied',
      'missing',
    );
    if (range === undefined || range instanceof GitHubError)
      return { ...none, head, isChange: false };
    return { ...none, head: range.head, base: range.base, isChange: true };
  }
  switch (trigger.kind) {
    case 'pull_request':
      return pullCommits(trigger.number, trigger, trigger.isFork);
    case 'comment': {
      if (trigger.on === 'issue') return { ...none, isChange: false };
      const { number } = trigger;
      const commits = trigger.commits ?? (await fetchPull(client, { repository, number }, signal));
      const isFork = trigger.isFork ?? !isRepository(commits.head.repository, repository);
      return pullCommits(number, commits, isFork);
    }
    case 'push': {
      const tag = tagOf(trigger);
      if (tag !== undefined) return await tagCommits(tag, shaOr(trigger.after, branch));
      return {
        ...none,
        head: shaOr(trigger.after, branch),
        branch: /^refs\/heads\/(.+)$/.exec(trigger.ref)?.[1] ?? branch,
        base: shaOr(trigger.before, branch),
        // A new branch is compared with the default one.
        isChange: !isNewRef(trigger) || (branch !== '' && trigger.ref.startsWith('refs/heads/')),
      };
    }
    case 'workflow_run': {
      const { headSha: head, isFork: isForeign } = trigger;
      // Payloads do not name forks' pull requests.
      const answer =
        trigger.pull ??
        (await orGitHubError(
          fetchPullOfCommit(client, repository, head, signal),
          'denied',
          'missing',
        ));
      const pull = answer instanceof GitHubError ? undefined : answer;
      const base = pull === undefined ? branch : pull.base.sha || pull.base.ref;
      return {
        head,
        branch: trigger.branch || branch,
        base,
        isForeign,
        pull: pull?.number,
        isChange: head !== '',
      };
    }
    // A queue may hold what a fork brought, before it is merged.
    case 'merge_group':
      return {
        ...none,
        head: trigger.head.sha,
        base: trigger.base.sha,
        isForeign: true,
        isChange: true,
      };
    case 'release':
      return await tagCommits(trigger.tag);
    case 'issue':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
      return { ...none, isChange: false };
  }
}

function pullCommits(
  number: number,
  { head, base }: { readonly head: Head; readonly base: Base },
  isForeign: boolean,
): SubjectCommits {
  return {
    head: head.sha,
    branch: head.ref,
    base: base.sha || base.ref,
    isForeign,
    pull: number,
    isChange: true,
  };
}

/** Events have zeros for the commit of a branch that was created or deleted. */
function shaOr(sha: string, otherwise: string): string {
  return /^0*$/.test(sha) ? otherwise : sha;
}
