import { describe, expect, it } from '@jest/globals';
import { createClosingClient } from '../../../src/github/client/closing-client.js';
import { createFakeGitHubClient, failure, noAbort } from '../../helpers/github-client-fake.js';

const CANCELLED = new Error('the run was cancelled');

const ASKS = [
  [
    'a request',
    (client: ReturnType<typeof createClosingClient>, signal: AbortSignal) =>
      client.request('GET /hello', { signal }),
  ],
  [
    'a query',
    (client: ReturnType<typeof createClosingClient>, signal: AbortSignal) =>
      client.graphql('query { hello }', { variables: {}, signal }),
  ],
] as const;

describe.each(ASKS)('%s of a run that can be cancelled', (_, ask) => {
  it('is an error of GitHub’s once no time is left', async () => {
    const closing = new AbortController();
    const fake = createFakeGitHubClient({ 'GET /hello': () => 'hi', graphql: () => 'hi' });
    const client = createClosingClient(fake, closing.signal);
    await ask(client, noAbort());
    closing.abort(CANCELLED);
    await expect(ask(client, noAbort())).rejects.toMatchObject({
      name: 'GitHubError',
      reason: 'unavailable',
      message: 'the run was cancelled, and its time was over before GitHub answered',
    });
    expect(fake.requests).toHaveLength(1);
  });

  it('ends with the reason of its own signal while there is time', async () => {
    const client = createClosingClient(createFakeGitHubClient({}), noAbort());
    await expect(ask(client, AbortSignal.abort(CANCELLED))).rejects.toBe(CANCELLED);
  });

  it('keeps what GitHub answered with its last word', async () => {
    const closing = new AbortController();
    const refuse = () => {
      closing.abort(CANCELLED);
      throw failure(403);
    };
    const fake = createFakeGitHubClient({ 'GET /hello': refuse, graphql: refuse });
    const client = createClosingClient(fake, closing.signal);
    await expect(ask(client, noAbort())).rejects.toMatchObject({ status: 403 });
  });
});
