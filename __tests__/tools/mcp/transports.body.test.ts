import { describe, expect, it } from '@jest/globals';
import { watchBody } from '../../../src/tools/mcp/transports.js';

/** A response whose body comes in these pieces. */
function response(type: string, pieces: readonly string[], breaksOff = false): Response {
  const encoder = new TextEncoder();
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
      else if (breaksOff) controller.error(new Error('cut'));
      else controller.close();
    },
  });
  return new Response(body, { status: 201, headers: { 'content-type': type, 'x-kept': 'yes' } });
}

describe('a size-limited response body', () => {
  it('is passed through unchanged, with status and headers', async () => {
    const watched = watchBody(response('application/json', ['{"a"', ':1}']), { maxBytes: 7 });
    expect([watched.status, watched.headers.get('x-kept')]).toEqual([201, 'yes']);
    expect(await watched.text()).toBe('{"a":1}');
  });

  it('breaks off when it grows too large', async () => {
    const watched = watchBody(response('application/json', ['12345', '678']), { maxBytes: 7 });
    await expect(watched.text()).rejects.toThrow('more than 7 bytes at once');
  });

  it('is left alone if it is empty', async () => {
    const empty = new Response(null, { status: 204 });
    expect(watchBody(empty, { maxBytes: 1 })).toBe(empty);
  });

  it.each([
    ['events in one piece', ['data: 1\n\ndata: 2\n\ndata: 3\n\n']],
    ['events with CRLF', ['data: 1\r\n\r\ndata: 2\r\n\r\n']],
    ['events in many pieces', ['data', ': 1\n', '\n', 'data: 2', '\n', '\n', 'data: 3\n\n']],
  ])('that is a stream can be long if each event is short: %s', async (_, pieces) => {
    const watched = watchBody(response('text/event-stream; charset=utf-8', pieces), { maxBytes: 12 });
    expect(await watched.text()).toBe(pieces.join(''));
  });

  it('that is a stream breaks off at an event that is too large, in one line or in many', async () => {
    for (const pieces of [
      ['data: 1\n\n', 'data: 1234567890'],
      ['data: 1\n', 'data: 2\n', 'data: 3\n'],
    ]) {
      const watched = watchBody(response('text/event-stream', pieces), { maxBytes: 12 });
      await expect(watched.text()).rejects.toThrow('at once');
    }
  });

  it.each([
    ['whole', ['data: 1\n\n'], false, false],
    ['cut', ['data: 1'], true, false],
    ['whole, with ids', ['id: 1\ndata: 1\n\n'], false, true],
    ['cut, with ids in pieces', ['event: a\ni', 'd', ':1\n'], true, true],
    ['with words that only look like ids', ['data: id:1\n', 'xid: 1\n\n'], false, false],
  ])('reports when it ends and whether it can be resumed: %s', async (_, pieces, breaksOff, isResumable) => {
    const seen: boolean[] = [];
    const watched = watchBody(response('text/event-stream', pieces, breaksOff), {
      maxBytes: 100,
      onOver: (body) => seen.push(body.isResumable),
    });
    await watched.text().catch(() => undefined);
    expect(seen).toEqual([isResumable]);
  });
});
