import { createHash } from 'node:crypto';
import { GitHubError, graphqlError, httpError } from '../../../../src/github/client/errors.js';
import {
  createMemoryBranch,
  type MemoryBranch,
} from '../../../../src/memory/stores/branch/memory-branch.js';
import type { MemoryBranchPlace } from '../../../../src/memory/stores/branch/memory-branch-read.js';
import {
  type Answer,
  createFakeGitHubClient,
  type FakeGitHubClient,
} from '../../../helpers/github-client-fake.js';

/** Ids as git has them. */
export const HEAD = 'a'.repeat(40);
export const NEXT = 'b'.repeat(40);
export const OTHER = 'c'.repeat(40);
export const TREE = 'd'.repeat(40);

/** The branch of most tests. */
export const PLACE: MemoryBranchPlace = {
  owner: 'octocat',
  name: 'hello',
  branch: 'axe-memory',
  serverUrl: 'https://github.com',
  isOwn: true,
  token: 'github-token',
};

/** A branch over answers by route; GraphQL queries and mutations have routes of their own here. */
export function branchWith(
  routes: Readonly<Record<string, Answer>> & {
    readonly query?: Answer;
    readonly mutation?: Answer;
  },
  place: Partial<MemoryBranchPlace> = {},
): { readonly branch: MemoryBranch; readonly client: FakeGitHubClient } {
  const { query, mutation, ...rest } = routes;
  const client = createFakeGitHubClient({
    ...rest,
    graphql(request) {
      const handler = 'input' in request.params ? mutation : query;
      if (handler === undefined)
        throw new Error(`nobody expected ${JSON.stringify(request.params)}`);
      return handler(request);
    },
  });
  return { branch: createMemoryBranch(client, { ...PLACE, ...place }), client };
}

/** The repository as GraphQL shows it, with the content at the paths of a query. */
export function repositoryAt(
  head: string | undefined,
  {
    entries = {},
    ...more
  }: { entries?: Readonly<Record<string, unknown>> } & Record<string, unknown> = {},
): Answer {
  return ({ params }) => {
    const asked = Object.entries(params).filter(([name]) => /^p\d+$/.test(name));
    const fields = Object.fromEntries(
      asked.map(([name, path]) => [name, entries[String(path)] ?? null]),
    );
    const target = { oid: head, tree: { oid: TREE }, ...fields };
    const ref = head === undefined ? null : { target };
    return { repository: { id: 'R_1', isPrivate: false, isArchived: false, ref, ...more } };
  };
}

/** A file as GraphQL shows it. */
export function fileEntry(
  content: string | Uint8Array,
  more: Record<string, unknown> = {},
): unknown {
  const bytes = Buffer.from(content);
  const text = typeof content === 'string' ? content : bytes.toString('latin1');
  const entry = {
    type: 'blob',
    mode: 0o100644,
    oid: blobId(bytes),
    size: bytes.length,
    object: { text },
  };
  return { ...entry, ...more };
}

/** The id git gives to a file's content. */
export function blobId(content: string | Uint8Array): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A blob as the REST API gives it. */
export function blobAnswer(content: string | Uint8Array): unknown {
  return { content: Buffer.from(content).toString('base64'), encoding: 'base64' };
}

/** An answer of the REST API that is an error. */
export function refuses(
  status: number,
  message = '',
  headers: Record<string, string> = {},
): Answer {
  return ({ route }) => {
    throw httpError(route, { status, headers, body: { message } });
  };
}

/** An answer of the GraphQL API that is an error. */
export function refusesQuery(message: string, type?: string): Answer {
  return () => {
    throw graphqlError([{ message, type }], {});
  };
}

/** No answer. */
export function drops(): never {
  throw new GitHubError('GitHub did not answer: socket hang up', { reason: 'unavailable' });
}
