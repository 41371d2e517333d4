import type { GitHubClient } from '../adapters/github/client/client.js';
import { fetchNewSince } from '../adapters/github/context/fetch-change.js';
import { fetchContext } from '../adapters/github/context/fetch-context.js';
import {
  answerFindingThreads,
  answerThreads,
  type ReadThreads,
} from '../adapters/github/posting/answer-threads.js';
import { fetchPermission } from '../adapters/github/reading/permissions.js';
import { readSubjectsOnce } from '../adapters/github/reading/subject.js';
import type { GitHub } from '../core/dependencies.js';
import type { Trigger } from '../core/event/trigger.js';

/** What the pipeline asks GitHub for. */
export function createGitHubPort(client: GitHubClient, trigger: Trigger): GitHub | undefined {
  if (trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const readSubject = readSubjectsOnce(client);
  const readThreads: ReadThreads = async (place, signal) => {
    const { pull } = await readSubject({ ...place, isPull: true }, signal);
    return pull?.threads.threads ?? [];
  };
  return {
    permission: (login, signal) => fetchPermission(client, { repository, login }, signal),
    context: (of, signal) => fetchContext(client, of, signal, readSubject),
    newSince: ({ from, head }, signal) => fetchNewSince(client, { repository, base: from, head }, signal),
    threads: (number, signal) => answerThreads(readThreads, { repository, number }, signal),
    findingThreads: (number, signal) => answerFindingThreads(readThreads, { repository, number }, signal),
  };
}
