import * as v from 'valibot';
import { againIfLost, askRest, inRepo, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** What became of labels; one that was set or gone before is in none of the lists. */
interface SetLabels {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The repository has no such label, and none is made. */
  readonly unknown: readonly string[];
}

const labelSchema = v.object({ name: v.string() });

/**
 * Adds and removes labels that the repository has; names are compared as GitHub does, without regard to case. A label
 * both to add and to remove is added. May be repeated. Throws a GitHubError.
 */
export async function setLabels(
  client: GitHubClient,
  {
    repository,
    number,
    add,
    remove,
  }: SubjectPlace & {
    readonly add: readonly string[];
    readonly remove: readonly string[];
  },
  signal: AbortSignal,
): Promise<SetLabels> {
  const here = inRepo(repository);
  const issue = { ...here, issue_number: number };
  const route = '/repos/{owner}/{repo}/issues/{issue_number}/labels';
  // An issue has at most a hundred labels.
  const labels = await askRest(
    client,
    `GET ${route}`,
    { ...issue, per_page: 100 },
    v.array(labelSchema),
    signal,
  );
  const present = labels.map(({ name }) => name);
  const added: string[] = [];
  const unknown: string[] = [];
  for (const name of add) {
    if (holds([...present, ...added, ...unknown], name)) continue;
    // Adding a label that does not exist would make it, so each is asked for first.
    const known = await findLabel(client, { ...here, name }, signal);
    if (known === undefined) unknown.push(name);
    else added.push(known);
  }
  if (added.length > 0)
    await againIfLost(() => client.request(`POST ${route}`, { params: { ...issue, labels: added }, signal }));
  const removed = present.filter((name) => holds(remove, name) && !holds(add, name));
  for (const name of removed) {
    try {
      await client.request(`DELETE ${route}/{name}`, { params: { ...issue, name }, signal });
    } catch (thrown) {
      // The client asks again where the answer is lost.
      if (!(thrown instanceof GitHubError) || !/label does not exist/i.test(thrown.message)) throw thrown;
    }
  }
  return { added, removed, unknown };
}

/** A label as the repository writes it. */
async function findLabel(
  client: GitHubClient,
  params: { readonly owner: string; readonly repo: string; readonly name: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const route = 'GET /repos/{owner}/{repo}/labels/{name}';
    return (await askRest(client, route, params, labelSchema, signal)).name;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'missing') return undefined;
    throw thrown;
  }
}

function holds(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}
