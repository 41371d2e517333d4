import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { signalAfter } from '../../lib/clock.js';
import { parseJson } from '../../lib/data.js';
import { PUBLISH_TIMEOUT_MS } from '../../lib/defaults.js';
import type { Warning } from '../../lib/errors.js';
import type { GitHubClient, Tolerated } from './client.js';
import { GitHubError, GRAPHQL } from './errors.js';
import type { GitHubErrorReason } from './refusals.js';

interface RestRequest {
  /** A method and a path template, `GET /repos/{owner}/{repo}`. */
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Media type; left out for GitHub's JSON. */
  readonly accept?: string;
}

/** Asks the REST API. Throws a GitHubError, also for an answer that does not fit the schema. */
export async function askRest<Output>(
  client: GitHubClient,
  { route, params, accept }: RestRequest,
  schema: v.GenericSchema<unknown, Output>,
  signal: AbortSignal,
): Promise<Output> {
  const { body } = await client.request(route, { params, accept, signal });
  const answer = v.safeParse(schema, typeof body === 'string' ? parseJson(body, body) : body);
  if (!answer.success)
    throw unexpectedAnswer(route.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])));
  return answer.output;
}

/** The parameters of every route below a repository. */
export function repositoryParams({ owner, name }: Pick<Repository, 'owner' | 'name'>) {
  return { owner, repo: name };
}

interface GraphQlRequest extends Tolerated {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** For the remedy, since GraphQL does not name the permission that is missing. */
  readonly permission: string;
}

/** Asks GraphQL. Throws a GitHubError, also for an answer that does not fit the schema. */
export async function askGraphQl<Output>(
  client: GitHubClient,
  { query, variables, permission, ...tolerated }: GraphQlRequest,
  schema: v.GenericSchema<unknown, Output>,
  signal: AbortSignal,
): Promise<Output> {
  const body = await client
    .graphql(query, { ...tolerated, variables, signal })
    .catch((thrown: unknown) => {
      throw thrown instanceof GitHubError ? thrown.withPermission(permission) : thrown;
    });
  const answer = v.safeParse(schema, body);
  if (!answer.success) throw unexpectedAnswer(GRAPHQL);
  return answer.output;
}

/** The error for an answer that is not what GitHub describes. */
export function unexpectedAnswer(requestLine: string): GitHubError {
  const message = `GitHub's answer to \`${requestLine}\` is not understood`;
  return new GitHubError(message, { reason: 'invalid' });
}

/**
 * Creates something that must exist once. Where the answer did not come, GitHub may have created it
 * all the same, so it is looked for before it is tried once more. Throws what its parts throw.
 */
export async function createOnce<Thing>(
  create: () => Promise<Thing>,
  find: () => Promise<Thing | undefined>,
): Promise<Thing> {
  const made = await orGitHubError(create(), 'unavailable');
  return made instanceof GitHubError ? ((await find()) ?? (await create())) : made;
}

/** Carries out once more what may be carried out twice, where the first answer did not come. */
export async function againIfLost<Done>(write: () => Promise<Done>): Promise<Done> {
  const done = await orGitHubError(write(), 'unavailable');
  return done instanceof GitHubError ? await write() : done;
}

/**
 * GitHub's answer, or why there is none, if that is one of these reasons; without any, whatever it
 * is.
 */
export async function orGitHubError<Answer>(
  request: Promise<Answer>,
  ...reasons: readonly GitHubErrorReason[]
): Promise<Answer | GitHubError> {
  try {
    return await request;
  } catch (thrown) {
    const isExpected =
      thrown instanceof GitHubError && (reasons.length === 0 || reasons.includes(thrown.reason));
    if (isExpected) return thrown;
    throw thrown;
  }
}

/**
 * GitHub's answer, or why there is none, with a remedy: an error of GitHub's, or no answer in time,
 * which has a limit of its own, since the run's may be over already. Anything else is thrown on.
 */
export async function withGitHub<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  remedy?: string,
): Promise<T | GitHubError> {
  const signal = signalAfter(PUBLISH_TIMEOUT_MS);
  try {
    return await ask(signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return thrown.with({ remedy: thrown.remedy ?? remedy });
    if (!signal.aborted) throw thrown;
    const message = `GitHub did not answer within ${PUBLISH_TIMEOUT_MS / 1000} s`;
    return new GitHubError(message, { reason: 'unavailable', remedy });
  }
}

/** A warning about something unread; `part` names it if the message does not. */
export function unreadWarning({ message, remedy, reason }: GitHubError, part?: string): Warning {
  if (part === undefined) return { code: 'context-incomplete', message, remedy };
  // GitHub's words say no more than that the permission is missing, and the remedy names it.
  const isDenied = reason === 'denied' && remedy !== undefined;
  if (isDenied) return { code: 'context-unread', message: part, remedy };
  return { code: 'context-incomplete', message: `${part}: ${message}`, remedy };
}

/** Why nothing is posted without a client, and what to do about it. */
export const NO_TOKEN = "there is no `github-token`. Remove that input to use the job's token.";

export interface SubjectPlace {
  readonly repository: Repository;
  readonly number: number;
}

/** A list as far as it was read. */
export interface FetchedList<Item> {
  readonly items: readonly Item[];
  /** There was nothing more to read. */
  readonly isComplete: boolean;
}

const PAGE_SIZE = 100;

/**
 * Reads a list, no more than `maxPages` of 100; `schema` is that of one page. Octokit's own
 * iterator passes no signal on, so that a run which was ended would wait for pages, and it takes a
 * 409 for an empty list (plugin-paginate-rest 14, `iterator.js`). Throws a GitHubError.
 */
export async function fetchPages<Item>(
  client: GitHubClient,
  { route, params, maxPages }: RestRequest & { readonly maxPages: number },
  schema: v.GenericSchema<unknown, Item[]>,
  signal: AbortSignal,
): Promise<FetchedList<Item>> {
  const items: Item[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const listed = await askRest(
      client,
      { route, params: { ...params, per_page: PAGE_SIZE, page } },
      schema,
      signal,
    );
    items.push(...listed);
    if (listed.length < PAGE_SIZE) return { items, isComplete: true };
  }
  return { items, isComplete: false };
}
