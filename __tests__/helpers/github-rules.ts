import { githubError, type RestAnswer } from './github-answers.js';
import type { BranchChange, BranchRule, ContentsRight, StoredRepo } from './github-state.js';

const MESSAGES: Readonly<Record<BranchChange, string>> = {
  create: 'Cannot create ref due to creations being restricted.',
  update: 'Changes must be made through a pull request.',
  force: 'Cannot force-push to this branch',
  delete: 'Cannot delete this branch',
};

/** What a token may do with the files of a repository; `invisible` where it does not even see it. */
export function rightOf(
  repo: StoredRepo,
  { token, expected }: { readonly token: string | undefined; readonly expected: string },
): ContentsRight | 'invisible' {
  const rights = typeof repo.contents === 'string' ? { [expected]: repo.contents } : repo.contents;
  const stranger = repo.isPrivate ? 'invisible' : 'read';
  return token === undefined ? stranger : (rights[token] ?? stranger);
}

/** Whether a token has a right in some repository, and so is valid. */
export function isNamedToken(repos: Iterable<StoredRepo>, token: string): boolean {
  return [...repos].some(({ contents }) => typeof contents !== 'string' && token in contents);
}

/** What GitHub says to a change of a branch that a rule forbids; undefined if none does. */
export function ruleViolation(
  repo: StoredRepo,
  branch: string,
  change: BranchChange,
): { readonly kind: BranchRule['kind']; readonly message: string } | undefined {
  const rule = repo.rules.find(
    (one) => (one.branch === '*' || one.branch === branch) && (one.forbids ?? [change]).includes(change),
  );
  if (rule === undefined) return undefined;
  const message = rule.message ?? MESSAGES[change];
  if (rule.kind === 'protection') return { kind: rule.kind, message };
  return { kind: rule.kind, message: `Repository rule violations found\n\n${message}\n\n` };
}

/** A refusal of the REST API for want of a permission. */
export function notAccessible(permission: string): RestAnswer {
  return {
    ...githubError(403, 'Resource not accessible by integration'),
    headers: { 'x-accepted-github-permissions': permission },
  };
}

/** What keeps a request from being carried out: the token's rights, or an archived repository. */
export function refuseAccess(
  repo: StoredRepo,
  asked: { readonly permission: 'contents' | 'other'; readonly writes: boolean },
  right: ContentsRight,
): RestAnswer | undefined {
  if (asked.permission === 'contents') {
    if (asked.writes && right !== 'write') return notAccessible('contents=write');
    if (right === 'none' && repo.isPrivate) return notAccessible('contents=read');
  }
  return asked.writes && repo.isArchived
    ? githubError(403, 'Repository was archived so is read-only.')
    : undefined;
}
