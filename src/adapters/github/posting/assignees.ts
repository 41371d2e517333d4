import * as v from 'valibot';
import { askRest, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, orFailed } from '../client/errors.js';

/** Who is to be assigned. */
interface Assignment extends SubjectPlace {
  readonly logins: readonly string[];
}

/** What became of it. */
type AssignResult =
  | {
      readonly kind: 'assigned';
      /** Assigned now, by this request or before it. */
      readonly assigned: readonly string[];
      /** GitHub left these out without a word: they may not be assigned here, or ten are already. */
      readonly refused: readonly string[];
    }
  | Failed;

const issueSchema = v.object({ assignees: v.array(v.object({ login: v.string() })) });

/** Assigns accounts to an issue or pull request; those assigned before stay. Rejects only for an aborted signal. */
export async function assign(
  client: GitHubClient,
  { repository, number, logins }: Assignment,
  signal: AbortSignal,
): Promise<AssignResult> {
  if (logins.length === 0) return { kind: 'assigned', assigned: [], refused: [] };
  return await orFailed<AssignResult>(async () => {
    const question = {
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees',
      params: { owner: repository.owner, repo: repository.name, issue_number: number, assignees: logins },
      schema: issueSchema,
      what: 'the assignees',
    };
    const { assignees } = await againIfLost(() => askRest(client, question, signal));
    const present = new Set(assignees.map(({ login }) => login.toLowerCase()));
    return {
      kind: 'assigned',
      assigned: logins.filter((login) => present.has(login.toLowerCase())),
      refused: logins.filter((login) => !present.has(login.toLowerCase())),
    };
  }, 'Assign them by hand.');
}
