import type { Base, Head, Repository, Trigger } from '../../event/trigger.js';
import type { GitHubClient } from '../client/client.js';
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
  /** Whether there is a change between the two. */
  readonly isChange: boolean;
}

/**
 * The commits of an event: those it names, so that a push during the run changes nothing, or for a comment that names
 * none the pull request's as they are now. Throws a GitHubError.
 */
export async function subjectCommits(
  client: GitHubClient,
  trigger: Exclude<Trigger, { kind: 'local' }>,
  signal: AbortSignal,
): Promise<SubjectCommits> {
  const { repository } = trigger;
  const { defaultBranch } = repository;
  const branch = defaultBranch;
  const none = { head: branch, branch, base: branch, isForeign: false, pull: undefined };
  switch (trigger.kind) {
    case 'pull_request':
      return pullCommits(trigger.number, trigger, trigger.isFork);
    case 'comment': {
      if (trigger.on === 'issue') return { ...none, isChange: false };
      const { number } = trigger;
      const commits = trigger.commits ?? (await fetchPull(client, { repository, number }, signal));
      return pullCommits(number, commits, trigger.isFork ?? isElsewhere(commits.head, repository));
    }
    case 'push':
      return {
        ...none,
        head: shaOr(trigger.after, defaultBranch),
        branch: /^refs\/heads\/(.+)$/.exec(trigger.ref)?.[1] ?? branch,
        base: shaOr(trigger.before, defaultBranch),
        isChange: shaOr(trigger.after, '') !== '' && shaOr(trigger.before, '') !== '',
      };
    case 'workflow_run': {
      const { headSha: head, isFork: isForeign, pull } = trigger;
      const base = pull === undefined ? defaultBranch : pull.base.sha || pull.base.ref;
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
      return { ...none, head: trigger.head.sha, base: trigger.base.sha, isForeign: true, isChange: true };
    case 'release':
      return { ...none, head: `refs/tags/${trigger.tag}`, isChange: false };
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

function isElsewhere({ repository }: Head, { owner, name }: Repository): boolean {
  return repository?.toLowerCase() !== `${owner}/${name}`.toLowerCase();
}

/** Zeros stand for a branch that was made or deleted. */
function shaOr(sha: string, otherwise: string): string {
  return /^0*$/.test(sha) ? otherwise : sha;
}
