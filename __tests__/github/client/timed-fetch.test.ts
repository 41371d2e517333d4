import { describe, expect, it } from '@jest/globals';
import { timedFetch } from '../../../src/github/client/timed-fetch.js';
import { type Handler, startLoopback } from '../../helpers/loopback.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';

/** A server on whose request time moves on, and a fetch that measures it. */
async function scene(handle: Handler, afterMs: number) {
  const clock = createFakeClock();
  const limits: number[] = [];
  const timer = (ms: number) => {
    limits.push(ms);
    return clock.timer(ms);
  };
  const peer = await startLoopback(handle);
  peer.onRequest(() => clock.advance(afterMs));
  return { clock, limits, peer, fetch: timedFetch(globalThis.fetch, { timer }) };
}

describe('a fetch with a time limit', () => {
  it('is abandoned when nothing comes for 20 seconds', async () => {
    const { fetch, peer } = await scene(() => {}, 20_000);
    await expect(fetch(peer.url)).rejects.toThrow('no answer within 20 s');
  });

  it('returns an answer that came in time, with status, headers and the whole body', async () => {
    const { fetch, peer } = await scene((_, response) => {
      response.writeHead(201, { 'x-test': 'yes' });
      response.write('one ');
      setImmediate(() => response.end('two'));
    }, 19_999);
    const answer = await fetch(peer.url);
    expect([answer.status, answer.headers.get('x-test'), await answer.text()]).toEqual([
      201,
      'yes',
      'one two',
    ]);
  });

  it('has more time for large bodies', async () => {
    const { fetch, peer, limits } = await scene((_, response) => void response.end(), 0);
    await fetch(peer.url, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect(limits[0]).toBe(40_000);
  });

  it('is abandoned when the answer stops in the middle', async () => {
    const { fetch, peer, clock } = await scene((_, response) => void response.write('half'), 0);
    const asked = fetch(peer.url);
    await peer.idle();
    // The half that came begins the time anew, so it takes as often as that.
    const ticking = setInterval(() => clock.advance(20_000), 1);
    await expect(asked).rejects.toThrow('no answer within 20 s');
    clearInterval(ticking);
  });

  it('does not treat an interrupted answer as a complete one', async () => {
    const { fetch, peer } = await scene((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setImmediate(() => response.destroy());
    }, 0);
    await expect(fetch(peer.url)).rejects.toThrow('terminated');
  });

  it('is aborted under the one name that octokit recognizes', async () => {
    const abort = new AbortController();
    const { fetch, peer } = await scene(() => abort.abort(new Error('time is up')), 0);
    await expect(fetch(peer.url, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
