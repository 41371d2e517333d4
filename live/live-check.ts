import { queryCost } from '../__tests__/helpers/github-points.js';
import type { Repository } from '../src/event/trigger.js';
import { orGitHubError, repositoryParams } from '../src/github/client/ask.js';
import { createGitHubClient, type GitHubClient } from '../src/github/client/client.js';
import { GitHubError } from '../src/github/client/errors.js';
import type { FoundSubject } from '../src/github/reading/subject-answer.js';
import { type Clock, signalAfter } from '../src/lib/clock.js';
import { messageOf } from '../src/lib/errors.js';
import { ASSUMPTIONS } from './assumptions.js';

/** An assumption about GitHub. It is added in one place: the table in assumptions.ts. */
export interface Assumption {
  readonly id: string;
  readonly assumes: string;
  /** What an earlier assumption has to have left. */
  readonly needs?: keyof Left;
  /** A refusal is the answer that it is about, and not the reason why there is none. */
  readonly isAboutRefusal?: true;
  /** Tried only if the caller asks for it, since it takes minutes. */
  readonly option?: LiveOption;
  /** Left out where only a person or another workflow can try it. */
  try?(scene: Scene): Promise<Outcome>;
}

export type LiveOption = 'large' | 'burst';

export interface Outcome {
  /** Undefined if it could not be tried. */
  readonly holds: boolean | undefined;
  /** GitHub's own words or figures. */
  readonly seen: string;
}

export const VERDICTS = ['holds', 'does not', 'not allowed', 'not tried'] as const;

export interface Finding {
  readonly id: string;
  readonly assumes: string;
  readonly verdict: (typeof VERDICTS)[number];
  readonly seen: string;
}

/** What GitHub billed for a query, next to its published formula. */
export interface Bill {
  readonly query: string;
  readonly formula: number;
  readonly billed: number | null;
  readonly nodes: number | null;
}

export interface LiveReport {
  readonly at: string;
  readonly version: string;
  readonly server: string;
  readonly token: string;
  readonly findings: readonly Finding[];
  readonly bills: readonly Bill[];
  readonly requests: { readonly rest: number; readonly graphql: number; readonly points: number };
  /** Things in the repository that the check could not remove. */
  readonly leftBehind: readonly string[];
}

/** What assumptions leave for those after them. */
interface Left {
  /** The first commit of the memory branch. */
  memory?: string;
  pull?: { readonly number: number; readonly head: string; readonly base: string };
  subject?: FoundSubject;
  thread?: LeftThread;
}

export interface LeftThread {
  readonly pull: number;
  readonly id: string;
  /** Its first comment. */
  readonly commentId: number;
}

export interface Scene extends LiveOptions {
  readonly client: GitHubClient;
  readonly signal: AbortSignal;
  readonly left: Left;
  readonly leftBehind: string[];
  /** GitHub's last refusal, which functions of the action often turn into a value. */
  readonly last: { refusal?: GitHubError | undefined };
}

export interface LiveOptions {
  readonly repository: Repository;
  readonly token: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly serverUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly version: string;
  /** Part of all names that the check makes. */
  readonly id: string;
  /** The account whose permission is asked for. */
  readonly actor: string;
  readonly options: readonly LiveOption[];
}

/** All branches of a check begin so: the next check removes those of one that was killed. */
export const BRANCH_PREFIX = 'axe-live-';

const LIMIT_MS = 15 * 60_000;
const CLEANUP_MS = 2 * 60_000;

/**
 * Tries all assumptions in their order and removes what it made. Throws a GitHubError if GitHub
 * refuses before anything was written.
 */
export async function checkLive(options: LiveOptions): Promise<LiveReport> {
  const bills: Bill[] = [];
  const requests = { rest: 0, graphql: 0, points: 0 };
  const last: Scene['last'] = {};
  const client = await createGitHubClient({
    ...options,
    fetch: billedFetch(options.fetch, bills, requests),
    userAgent: `axe-action/${options.version} live check`,
  });
  const scene: Scene = {
    ...options,
    client: noteRefusals(client, last),
    signal: signalAfter(LIMIT_MS),
    left: {},
    leftBehind: [],
    last,
  };
  await removeBranches(scene, await listBranches(scene));

  const findings: Finding[] = [];
  try {
    for (const assumption of ASSUMPTIONS) findings.push(await judge(assumption, scene, findings));
  } finally {
    const ending = { ...scene, signal: signalAfter(CLEANUP_MS) };
    scene.leftBehind.push(...(await removeBranches(ending, await branchesAtEnd(ending))));
  }
  return {
    at: options.clock.now().toISOString(),
    version: options.version,
    server: options.serverUrl,
    token: tokenKind(options.token),
    findings,
    bills: eachOnce(bills),
    requests,
    leftBehind: scene.leftBehind,
  };
}

/** Remembers what the client rejects with, after its own patience has ended. */
function noteRefusals(client: GitHubClient, last: Scene['last']): GitHubClient {
  const noted = async <Answer>(request: Promise<Answer>): Promise<Answer> => {
    const answer = await orGitHubError(request);
    if (!(answer instanceof GitHubError)) return answer;
    last.refusal = answer;
    throw answer;
  };
  return {
    request: (route, options) => noted(client.request(route, options)),
    graphql: (query, options) => noted(client.graphql(query, options)),
    download: (route, options) => noted(client.download(route, options)),
  };
}

async function judge(
  assumption: Assumption,
  scene: Scene,
  earlier: readonly Finding[],
): Promise<Finding> {
  const { id, assumes } = assumption;
  const obstacle = obstacleTo(assumption, scene, earlier);
  if (obstacle !== undefined) return { id, assumes, verdict: 'not tried', seen: obstacle };

  scene.last.refusal = undefined;
  // The page is published, and the repository can be private.
  const { owner, name } = scene.repository;
  const { holds, seen: text } = await outcomeOf(assumption, scene);
  const seen = inOneLine(text.replaceAll(`${owner}/${name}`, 'OWNER/NAME'));
  const reason = reasonOf(scene.last);
  if (holds === true) return { id, assumes, verdict: 'holds', seen };
  if (scene.signal.aborted) return { id, assumes, verdict: 'not tried', seen: OUT_OF_TIME };
  if (reason === 'rate-limited')
    return { id, assumes, verdict: 'not tried', seen: `${LIMITED}: ${seen}` };
  if (holds === undefined) return { id, assumes, verdict: 'not tried', seen };
  const isDenied = reason === 'denied' || reason === 'missing';
  const isAllowed = assumption.isAboutRefusal === true || !isDenied;
  return { id, assumes, verdict: isAllowed ? 'does not' : 'not allowed', seen };
}

function reasonOf({ refusal }: Scene['last']) {
  return refusal?.reason;
}

/** The reason why an assumption is not tried, if it is not. */
function obstacleTo(
  { needs, option, try: attempt }: Assumption,
  scene: Scene,
  earlier: readonly Finding[],
): string | undefined {
  if (scene.signal.aborted) return OUT_OF_TIME;
  if (wasLimited({ findings: earlier })) return LIMITED;
  if (attempt === undefined) return 'only by hand';
  if (option !== undefined && !scene.options.includes(option)) return `add --${option}`;
  const isMissing = needs !== undefined && scene.left[needs] === undefined;
  return isMissing ? 'what it builds on is missing' : undefined;
}

async function outcomeOf({ try: attempt }: Assumption, scene: Scene): Promise<Outcome> {
  try {
    return (await attempt?.(scene)) ?? { holds: undefined, seen: '' };
  } catch (thrown) {
    if (thrown instanceof GitHubError) scene.last.refusal = thrown;
    return { holds: false, seen: messageOf(thrown) };
  }
}

const OUT_OF_TIME = `the check has taken ${LIMIT_MS / 60_000} minutes`;
const LIMITED = 'GitHub limits this account for now';

/** The check could not end: what was not tried says nothing about GitHub. */
export function wasLimited({ findings }: Pick<LiveReport, 'findings'>): boolean {
  return findings.some(({ seen }) => seen.startsWith(LIMITED));
}

const MAX_SEEN = 300;

function inOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SEEN ? `${line.slice(0, MAX_SEEN)} …` : line;
}

async function listBranches({ client, repository, signal }: Scene): Promise<readonly string[]> {
  const { body } = await client.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', {
    params: { ...repositoryParams(repository), ref: `heads/${BRANCH_PREFIX}` },
    signal,
  });
  const refs = body as readonly { readonly ref: string }[];
  return refs.map(({ ref }) => ref.replace(/^refs\/heads\//, ''));
}

/** Where GitHub does not list them, nothing is known but the names that the check uses. */
async function branchesAtEnd(scene: Scene): Promise<readonly string[]> {
  const listed = await orGitHubError(listBranches(scene));
  return listed instanceof GitHubError ? Object.values(branchNames(scene.id)) : listed;
}

export function branchNames(id: string) {
  const name = `${BRANCH_PREFIX}${id}`;
  // The head goes before its base.
  return { head: `${name}-head`, base: `${name}-base`, memory: `${name}-memory` };
}

/** Removes branches, which closes their pull requests, and names those that it could not remove. */
async function removeBranches(
  { client, repository, signal }: Scene,
  names: readonly string[],
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const name of names) {
    const route = 'DELETE /repos/{owner}/{repo}/git/refs/{ref}';
    const params = { ...repositoryParams(repository), ref: `heads/${name}` };
    const gone = await orGitHubError(client.request(route, { params, signal }));
    const isLeft = gone instanceof GitHubError && gone.reason !== 'moved';
    if (isLeft) failed.push(`branch ${name} (${inOneLine(gone.message)})`);
  }
  return failed;
}

/** Adds what GitHub bills to each query, and takes it out of the answer again. */
function billedFetch(
  fetch: typeof globalThis.fetch,
  bills: Bill[],
  requests: { rest: number; graphql: number; points: number },
): typeof globalThis.fetch {
  return async (input, init) => {
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const { query, variables } = sent as { query?: string; variables?: Record<string, unknown> };
    if (query === undefined) {
      requests.rest += 1;
      return await fetch(input, init);
    }
    requests.graphql += 1;
    if (/^\s*mutation\b/.test(query)) return await fetch(input, init);

    const asked = query.replace('{', '{ rateLimit { cost nodeCount } ');
    const response = await fetch(input, {
      ...init,
      body: JSON.stringify({ query: asked, variables }),
    });
    const answer = (await response.json()) as {
      data?: { rateLimit?: { cost: number; nodeCount: number } | null } | null;
    };
    const { rateLimit, ...data } = answer.data ?? {};
    const formula = queryCost(query, variables).points;
    requests.points += rateLimit?.cost ?? formula;
    bills.push({
      query: shortQuery(query),
      formula,
      billed: rateLimit?.cost ?? null,
      nodes: rateLimit?.nodeCount ?? null,
    });
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    const body = answer.data ? { ...answer, data } : answer;
    return new Response(JSON.stringify(body), { status: response.status, headers });
  };
}

const MAX_QUERY = 90;

function shortQuery(query: string): string {
  const line = query.replace(/\s+/g, ' ').trim();
  return line.replace(/^query ?\([^)]*\) ?/, '').slice(0, MAX_QUERY);
}

function eachOnce(bills: readonly Bill[]): readonly Bill[] {
  return [...new Map(bills.map((bill) => [JSON.stringify(bill), bill])).values()];
}

function tokenKind(token: string): string {
  if (token.startsWith('ghs_')) return "an app's, as in a job";
  return token.startsWith('github_pat_') ? "a person's, fine-grained" : "a person's";
}
