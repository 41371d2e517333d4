import { describe, expect, it } from '@jest/globals';
import type { PostRequest } from '../../../src/tools/ports.js';
import { createPostJson } from '../../../src/tools/web/post-json.js';
import { createWebSearch } from '../../../src/tools/web/web-search.js';
import { type Handler, sendJson, startLoopback } from '../../helpers/loopback.js';

const quiet = new AbortController().signal;
const request: PostRequest = {
  headers: { authorization: 'Bearer k' },
  body: { a: 1 },
  maxBytes: 1000,
  timeoutMs: 200_000,
};
const postJson = createPostJson(globalThis.fetch);

async function post(handle: Handler, changes: Partial<PostRequest> = {}, signal = quiet) {
  const peer = await startLoopback(handle);
  return { peer, answer: postJson(`${peer.url}/x`, { ...request, ...changes }, signal) };
}

describe('posting JSON', () => {
  it('sends the body and returns the answer unchanged', async () => {
    const { peer, answer } = await post((_, response) => sendJson(response, 422, { error: 'é' }));
    expect(await answer).toEqual({ status: 422, text: '{"error":"é"}' });
    expect(peer.requests()).toMatchObject([
      { method: 'POST', path: '/x', body: { a: 1 }, headers: { authorization: 'Bearer k' } },
    ]);
  });

  it('sends the key to no other host', async () => {
    const { peer, answer } = await post(
      (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    expect(await answer).toMatchObject({ status: 307 });
    expect(peer.requests()).toHaveLength(1);
  });

  it('refuses an answer that is too large', async () => {
    const { answer } = await post((_, response) => void response.end('x'.repeat(1001)));
    await expect(answer).rejects.toThrow('is larger than 1000 bytes');
  });

  it('ends after its time limit', async () => {
    const { answer } = await post(() => undefined, { timeoutMs: 100 });
    await expect(answer).rejects.toThrow(/127\.0\.0\.1:\d+ did not answer within 0.1 seconds/);
  });

  it('ends when the run ends, with its reason', async () => {
    const abort = new AbortController();
    const { peer, answer } = await post(() => undefined, {}, abort.signal);
    peer.onRequest(() => abort.abort(new Error('cancelled')));
    await expect(answer).rejects.toThrow('cancelled');
  });

  it('reports that nobody is listening', async () => {
    const peer = await startLoopback(() => undefined);
    await peer.close();
    await expect(postJson(peer.url, request, quiet)).rejects.toThrow(/could not be reached: .*ECONNREFUSED/);
  });

  it('works for a web search', async () => {
    const results = [{ title: 'T', url: 'https://example.com/', content: 'C' }];
    const peer = await startLoopback((_, response) => sendJson(response, 200, { results }));
    const tool = createWebSearch({ postJson, key: 'tvly-x', baseUrl: peer.url });
    expect((await tool.execute({ query: 'q' }, quiet)).text).toContain(
      'Title: T\nURL: https://example.com/\nSnippet: C',
    );
    expect(peer.requests()[0]).toMatchObject({
      path: '/search',
      headers: { authorization: 'Bearer tvly-x' },
    });
  });
});
