import type { PermissionAnswer } from '../event/permission.js';
import type { Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { fetchNewSince } from '../github/context/fetch-change.js';
import { fetchContext } from '../github/context/fetch-context.js';
import { fetchPermission } from '../github/reading/permissions.js';
import { fetchComparedFiles, subjectCommits } from '../github/reading/reader.js';
import { fetchSubject, readSubjectsOnce } from '../github/reading/subject.js';
import type { GitHub } from './dependencies.js';

/** What the pipeline asks GitHub for. */
export function createGitHubPort(client: GitHubClient, trigger: Trigger): GitHub | undefined {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readSubject = readSubjectsOnce(client);
  // Whoever answers findings is asked about at each reading, on each pull request.
  const permissions = new Map<string, PermissionAnswer>();
  return {
    async permission(login, signal) {
      const answer = permissions.get(login) ?? (await fetchPermission(client, { repository, login }, signal));
      if (answer.kind === 'known') permissions.set(login, answer);
      return answer;
    },
    context: (of, signal) => fetchContext(client, of, signal, readSubject),
    newSince: ({ from, head }, signal) => fetchNewSince(client, { repository, base: from, head }, signal),
    async said(number, { isFresh }, signal) {
      const place = { repository, number, isPull: true };
      try {
        const { conversation, pull } = await (isFresh
          ? fetchSubject(client, place, signal)
          : readSubject(place, signal));
        const { comments } = conversation;
        if (pull === undefined) return { kind: 'unread', message: `#${number} is no pull request.` };
        const { head, threads, reviews } = pull;
        return { kind: 'read', seen: { head: head.sha, threads: threads.threads, reviews, comments } };
      } catch (thrown) {
        return unread(thrown);
      }
    },
    async change(signal) {
      try {
        const { head, base, isForeign, pull } = await subjectCommits(client, trigger, signal);
        const { files } = await fetchComparedFiles(client, { repository, base, head, pull }, signal);
        const diff = files.map(({ text }) => text).join('\n');
        return { kind: 'read', head, base, isFork: isForeign, diff };
      } catch (thrown) {
        return unread(thrown);
      }
    },
  };
}

function unread(thrown: unknown): { readonly kind: 'unread'; readonly message: string } {
  if (!(thrown instanceof GitHubError)) throw thrown;
  const { message, remedy } = thrown;
  return { kind: 'unread', message: remedy === undefined ? `${message}.` : `${message}. ${remedy}` };
}
