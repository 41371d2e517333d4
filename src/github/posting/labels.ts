import * as v from 'valibot';
import { askRest, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, GitHubError, orFailed } from '../client/errors.js';

/** Which labels an issue or pull request is to have and not to have. */
interface LabelChanges extends SubjectPlace {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** What became of the labels; a label that was set or gone before is in none of the lists. */
type LabelResult =
  | {
      readonly kind: 'set';
      readonly added: readonly string[];
      readonly removed: readonly string[];
      /** The repository has no such label, and none is made. */
      readonly unknown: readonly string[];
    }
  | Failed;

const labelSchema = v.object({ name: v.string() });
const labelsSchema = v.array(labelSchema);

/**
 * Adds and removes labels that the repository has; names are compared as GitHub does, without regard to case. A label
 * both to add and to remove is added. May be repeated. Rejects only for an aborted signal.
 */
export async function setLabels(
  client: GitHubClient,
  changes: LabelChanges,
  signal: AbortSignal,
): Promise<LabelResult> {
  const { add, remove } = changes;
  if (add.length === 0 && remove.length === 0) return { kind: 'set', added: [], removed: [], unknown: [] };
  return await orFailed<LabelResult>(async () => {
    const present = await currentLabels(client, changes, signal);
    const missing = unique(add).filter((name) => !holds(present, name));
    const looked = await lookUp(client, { ...changes, names: missing }, signal);
    if (looked.known.length > 0) await addLabels(client, { ...changes, names: looked.known }, signal);
    const removed = present.filter((name) => holds(remove, name) && !holds(add, name));
    for (const name of removed) await removeLabel(client, { ...changes, name }, signal);
    return { kind: 'set', added: looked.known, removed, unknown: looked.unknown };
  }, 'Set the labels by hand.');
}

/** An issue has at most a hundred labels. */
async function currentLabels(
  client: GitHubClient,
  place: SubjectPlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const params = { ...issueParams(place), per_page: 100 };
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/labels';
  const labels = await askRest(client, { route, params, schema: labelsSchema, what: 'the labels' }, signal);
  return labels.map(({ name }) => name);
}

interface Names extends SubjectPlace {
  readonly names: readonly string[];
}

/** Adding a label that does not exist would make it, so each is asked for first; known ones come as they are written. */
async function lookUp(
  client: GitHubClient,
  { repository, names }: Names,
  signal: AbortSignal,
): Promise<{ readonly known: readonly string[]; readonly unknown: readonly string[] }> {
  const known: string[] = [];
  const unknown: string[] = [];
  for (const requestedName of names) {
    const params = { owner: repository.owner, repo: repository.name, name: requestedName };
    const route = 'GET /repos/{owner}/{repo}/labels/{name}';
    try {
      const label = await askRest(client, { route, params, schema: labelSchema, what: 'the label' }, signal);
      known.push(label.name);
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || thrown.reason !== 'missing') throw thrown;
      unknown.push(requestedName);
    }
  }
  return { known, unknown };
}

async function addLabels(
  client: GitHubClient,
  { names, ...place }: Names,
  signal: AbortSignal,
): Promise<void> {
  const params = { ...issueParams(place), labels: names };
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
  await againIfLost(() => client.request(route, { params, signal }));
}

/** One that is gone already is fine; the client asks again where the answer is lost. */
async function removeLabel(
  client: GitHubClient,
  { name, ...place }: SubjectPlace & { readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const params = { ...issueParams(place), name };
  try {
    await client.request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
      params,
      signal,
    });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !/label does not exist/i.test(thrown.message)) throw thrown;
  }
}

function issueParams({ repository, number }: SubjectPlace) {
  return { owner: repository.owner, repo: repository.name, issue_number: number };
}

function unique(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.findIndex((other) => isSame(other, name)) === index);
}

function holds(names: readonly string[], name: string): boolean {
  return names.some((other) => isSame(other, name));
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
