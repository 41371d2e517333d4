import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import type { GitHubClient } from '../../../src/github/client/client.js';
import { publishSticky } from '../../../src/github/posting/sticky-comment.js';
import { answerMark, framedBody } from '../../../src/review/publication.js';
import {
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  HELLO,
  noAbort,
  type SeenRequest,
} from '../../helpers/github-client-fake.js';

const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

interface Stored {
  readonly id: number;
  body: string;
  readonly isOurs: boolean;
}

interface Conversation {
  readonly comments: Stored[];
  readonly client: FakeGitHubClient;
}

/** A conversation kept in memory; `faults` come before the writes they name, in order. */
function conversation(
  comments: readonly Stored[],
  faults: { readonly create?: ((store: () => void) => void)[]; readonly update?: number } = {},
): Conversation {
  const stored = [...comments];
  const url = (id: number) => `https://github.com/octocat/hello/pull/42#issuecomment-${id}`;
  const client = createFakeGitHubClient({
    graphql: ({ params }) => page(stored, params['before']),
    [CREATE]: ({ params }) => {
      const id = 4_000_000_000 + stored.length;
      const store = () => void stored.push({ id, body: String(params['body']), isOurs: true });
      const fault = faults.create?.shift();
      if (fault === undefined) store();
      else fault(store);
      return { html_url: url(id) };
    },
    [UPDATE]: ({ params }) => {
      if (faults.update !== undefined) throw failure(faults.update, UPDATE);
      const found = stored.find(({ id }) => String(id) === params['comment_id']);
      if (found === undefined) throw failure(404, UPDATE);
      found.body = String(params['body']);
      return { html_url: url(found.id) };
    },
  });
  return { comments: stored, client };
}

/** Pages of two, so that few comments are enough to need several. */
function page(stored: readonly Stored[], before: unknown): unknown {
  const end = before === null ? stored.length : Number(before);
  const start = Math.max(0, end - 2);
  const nodes = stored.slice(start, end).map(({ id, body, isOurs }) => ({
    url: `https://github.com/octocat/hello/pull/42#issuecomment-${id}`,
    body,
    viewerDidAuthor: isOurs,
  }));
  const pageInfo = { startCursor: String(start), hasPreviousPage: start > 0 };
  return { repository: { subject: { comments: { nodes, pageInfo } } } };
}

function bodyOf(text: string, agent = 'bot'): string {
  return framedBody({ mark: answerMark(agent, 'trusted'), text, footer: '' });
}

async function publish(client: GitHubClient, text = 'new') {
  const comment = { repository: HELLO, number: 42, mark: answerMark('bot', 'trusted'), body: bodyOf(text) };
  return await publishSticky(client, comment, noAbort());
}

function writes(client: FakeGitHubClient): readonly string[] {
  return client.requests.map((request: SeenRequest) => request.route).filter((route) => route !== 'graphql');
}

const other = (id: number): Stored => ({ id, body: 'Looks good', isOurs: false });

describe('a sticky comment', () => {
  it('is created if there is none', async () => {
    const { client, comments } = conversation([other(1)]);
    expect(await publish(client)).toEqual({
      kind: 'published',
      url: 'https://github.com/octocat/hello/pull/42#issuecomment-4000000001',
      created: true,
    });
    expect(comments.at(-1)?.body).toBe(bodyOf('new'));
  });

  it('is updated if it exists, however many comments followed', async () => {
    const ours = { id: 4_294_967_299, body: bodyOf('old'), isOurs: true };
    const { client, comments } = conversation([other(1), ours, other(3), other(4), other(5), other(6)]);
    expect(await publish(client)).toMatchObject({ kind: 'published', created: false });
    expect(ours.body).toBe(bodyOf('new'));
    expect(comments).toHaveLength(6);
  });

  it('stays one comment over many runs', async () => {
    const { client, comments } = conversation([]);
    for (const text of ['one', 'two', 'three']) await publish(client, text);
    expect(comments.map((comment) => comment.body)).toEqual([bodyOf('three')]);
  });

  it.each([
    ['C8 98: somebody else’s comment with the marker', { id: 1, body: bodyOf('forged'), isOurs: false }],
    ['another agent’s comment', { id: 1, body: bodyOf('other', 'bot-security'), isOurs: true }],
    ['a comment that only quotes the marker', { id: 1, body: `> ${bodyOf('quoted')}`, isOurs: true }],
  ])('%s is never treated as the sticky comment', async (_, comment) => {
    const { client, comments } = conversation([comment]);
    const before = comment.body;
    expect(await publish(client)).toMatchObject({ created: true });
    expect(comments[0]?.body).toBe(before);
  });

  it('is the newest, if there is more than one', async () => {
    const old = { id: 1, body: bodyOf('old'), isOurs: true };
    const newer = { id: 2, body: bodyOf('newer'), isOurs: true };
    const { client } = conversation([old, newer]);
    await publish(client);
    expect([old.body, newer.body]).toEqual([bodyOf('old'), bodyOf('new')]);
  });

  it('is created if it was deleted just now', async () => {
    const { client, comments } = conversation([{ id: 1, body: bodyOf('old'), isOurs: true }], {
      update: 404,
    });
    expect(await publish(client)).toMatchObject({ created: true });
    expect(comments).toHaveLength(2);
  });
});

describe('C5 70: a creation that fails', () => {
  it('is not repeated if the comment exists after all', async () => {
    const lostAnswer = (store: () => void) => {
      store();
      throw failure(502, CREATE);
    };
    const { client, comments } = conversation([], { create: [lostAnswer] });
    expect(await publish(client)).toMatchObject({ kind: 'published', created: true });
    expect(comments).toHaveLength(1);
    expect(writes(client)).toEqual([CREATE]);
  });

  it('is repeated once if it does not', async () => {
    const lostRequest = () => {
      throw failure(502, CREATE);
    };
    const { client, comments } = conversation([], { create: [lostRequest] });
    expect(await publish(client)).toMatchObject({ kind: 'published', created: true });
    expect(comments).toHaveLength(1);
    expect(writes(client)).toEqual([CREATE, CREATE]);
  });

  it('is abandoned after the second time', async () => {
    const lostRequest = () => {
      throw failure(502, CREATE);
    };
    const { client } = conversation([], { create: [lostRequest, lostRequest, lostRequest] });
    expect(await publish(client)).toMatchObject({
      kind: 'failed',
      remedy: expect.stringContaining('githubstatus'),
    });
    expect(writes(client)).toEqual([CREATE, CREATE]);
  });

  it.each([
    [403, expect.stringContaining('`issues: write` or `pull-requests: write`')],
    [404, expect.stringContaining('`issues: write` or `pull-requests: write`')],
    [410, expect.stringContaining('permissions')],
    [422, expect.stringContaining('job summary')],
  ])('with %i is reported with its remedy and not repeated', async (status, remedy) => {
    const refused = () => {
      throw failure(status, 'POST /repos/octocat/hello/issues/42/comments');
    };
    const { client } = conversation([], { create: [refused] });
    expect(await publish(client)).toMatchObject({ kind: 'failed', message: expect.any(String), remedy });
    expect(writes(client)).toEqual([CREATE]);
  });
});

describe('a failed look-up', () => {
  it('creates nothing, since a comment might exist already', async () => {
    const client = createFakeGitHubClient({
      graphql: () => {
        throw failure(403, 'POST /graphql');
      },
    });
    expect(await publish(client)).toMatchObject({
      kind: 'failed',
      remedy: 'Add `issues: write` or `pull-requests: write` under `permissions:` of the job.',
    });
    expect(writes(client)).toEqual([]);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const { client } = conversation([]);
    const reason = new Error('time is up');
    const comment = {
      repository: HELLO,
      number: 42,
      mark: answerMark('bot', 'trusted'),
      body: bodyOf('new'),
    };
    await expect(publishSticky(client, comment, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('the query for comments', () => {
  it('is valid against GitHub’s schema', async () => {
    const queries: string[] = [];
    const { client } = conversation([]);
    await publish({
      request: client.request,
      graphql: async (query, options) => {
        queries.push(query);
        return await client.graphql(query, options);
      },
    });
    const file = new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);
    const schema = buildSchema(readFileSync(file, 'utf8'), { assumeValidSDL: true });
    expect(queries.flatMap((query) => validate(schema, parse(query)))).toEqual([]);
    expect(queries).toHaveLength(1);
  });
});
