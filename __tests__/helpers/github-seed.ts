import type { GitHubServer } from './github-server.js';
import type { FileTree, StoredRepo } from './github-state.js';
import { type Payload, payloadField, withWorld } from './webhooks.js';

/** Adds to the fake what a payload speaks of: the repository, and its pull request or issue. */
export function seedRepo(
  server: Pick<GitHubServer, 'addRepo' | 'commit' | 'addPull' | 'addIssue'>,
  event: Payload,
  content: { readonly base?: FileTree; readonly diff?: string },
): StoredRepo {
  const payload = withWorld(event);
  const text = (path: string) => String(payloadField(payload, path));
  const name = text('repository.full_name');
  const repo = server.addRepo(name, {
    isPrivate: payloadField(payload, 'repository.private') === true,
    defaultBranch: text('repository.default_branch'),
  });
  if ('comment' in payload) repo.talk.eventComments.add(Number(payloadField(payload, 'comment.id')));
  if ('pull_request' in payload) {
    const head = payloadField(payload, 'pull_request.head.repo') as { full_name: string } | null;
    const base = { ref: text('pull_request.base.ref'), sha: text('pull_request.base.sha') };
    server.commit(name, content.base ?? {}, { branch: base.ref, sha: base.sha });
    server.addPull(name, {
      number: Number(text('pull_request.number')),
      title: text('pull_request.title'),
      body: payloadField(payload, 'pull_request.body') as string | null,
      author: text('pull_request.user.login'),
      base,
      head: {
        ref: text('pull_request.head.ref'),
        sha: text('pull_request.head.sha'),
        repository: head?.full_name ?? null,
      },
      ...(content.diff === undefined ? {} : { diff: content.diff }),
    });
    return repo;
  }
  server.commit(name, content.base ?? {});
  if ('issue' in payload) {
    server.addIssue(name, {
      number: Number(text('issue.number')),
      title: text('issue.title'),
      body: payloadField(payload, 'issue.body') as string | null,
      author: text('issue.user.login'),
    });
  }
  return repo;
}
