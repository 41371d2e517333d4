import { describe, expect, it } from '@jest/globals';
import { chunksOf, createResponse, HeaderList, readBytes, withBody } from '../../src/core/response.js';

const HEAD = {
  status: 200,
  statusText: 'OK',
  headers: [['X-Own', 'yes']] as const,
  url: 'https://a.example/',
};

function bytesOf(...texts: readonly string[]): readonly Uint8Array[] {
  return texts.map((text) => new TextEncoder().encode(text));
}

/** In upper case, piece by piece. */
async function* loud(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield* bytesOf(new TextDecoder().decode(chunk).toUpperCase());
}

describe('a response', () => {
  it('is read as text, JSON, bytes or a stream', async () => {
    const make = () => createResponse(bytesOf('{"a":', '"✓"}'), HEAD);
    expect(await make().text()).toBe('{"a":"✓"}');
    expect(await make().json()).toEqual({ a: '✓' });
    expect(new TextDecoder().decode(await make().bytes())).toBe('{"a":"✓"}');
    expect((await make().arrayBuffer()).byteLength).toBe(11);
    const stream = make().body;
    expect(stream === null ? '' : await new Response(stream).text()).toBe('{"a":"✓"}');
  });

  it('decodes a character that two pieces share', async () => {
    const bytes = new TextEncoder().encode('✓');
    expect(await createResponse([bytes.slice(0, 1), bytes.slice(1)], HEAD).text()).toBe('✓');
  });

  it('is read once', async () => {
    const response = createResponse(bytesOf('x'), HEAD);
    await response.text();
    expect(response.bodyUsed).toBe(true);
    await expect(response.text()).rejects.toThrow('the body of the response has been read already');
    expect(() => chunksOf(response)).toThrow(TypeError);
  });

  it('without a body is empty however often it is read', async () => {
    const response = createResponse(null, { ...HEAD, status: 204 });
    expect([await response.text(), await response.text(), response.body, chunksOf(response)]).toEqual([
      '',
      '',
      null,
      null,
    ]);
  });

  it.each([
    ['ours', () => createResponse(bytesOf('a', 'b'), HEAD)],
    ["Node's own", () => new Response('ab', { status: 201, headers: { 'x-own': 'yes' } })],
  ])('of %s keeps its head with another body', async (_, make) => {
    const [before, after] = [make(), withBody(make(), loud)];
    expect([after.status, after.statusText, after.url, after.headers.get('x-own')]).toEqual([
      before.status,
      before.statusText,
      before.url,
      'yes',
    ]);
    expect(await after.text()).toBe('AB');
  });

  it.each([
    ['ours', () => createResponse(null, HEAD)],
    ["Node's own", () => new Response(null)],
  ])('of %s without a body gets none', async (_, make) => {
    expect(await withBody(make(), loud).text()).toBe('');
  });

  it('reports what breaks while it is read to whoever reads', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* bytesOf('a');
      throw new Error('broke');
    }
    await expect(createResponse(broken(), HEAD).text()).rejects.toThrow('broke');
    await expect(withBody(createResponse(broken(), HEAD), loud).text()).rejects.toThrow('broke');
    const reader = createResponse(broken(), HEAD).body?.getReader();
    await reader?.read();
    await expect(reader?.read()).rejects.toThrow('broke');
  });

  it('tells its sender when nobody wants the rest', async () => {
    const told: string[] = [];
    const response = createResponse(bytesOf('a', 'b'), { ...HEAD, cancel: () => told.push('cancelled') });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(told).toEqual(['cancelled']);
  });

  it.each([
    ['ours', (cancel: () => void) => createResponse(bytesOf('a', 'b'), { ...HEAD, cancel })],
    ["Node's own", (cancel: () => void) => new Response(new ReadableStream({ cancel }))],
  ])('of %s with another body tells its sender, too, before anything was read', async (_, make) => {
    const told: string[] = [];
    const response = withBody(
      make(() => told.push('cancelled')),
      loud,
    );
    await response.body?.cancel();
    expect(told).toEqual(['cancelled']);
  });

  it('can be read after somebody has looked whether it has a body', async () => {
    const response = createResponse(bytesOf('x'), HEAD);
    expect([response.body === null, response.bodyUsed]).toEqual([false, false]);
    expect((await response.arrayBuffer()).byteLength).toBe(1);
  });

  it("lets go of a body of Node's own that is not read to its end", async () => {
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => {
        isCancelled = true;
      },
    });
    async function* first(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) return void (yield chunk);
    }
    expect(await withBody(new Response(endless), first).bytes()).toHaveLength(1);
    expect(isCancelled).toBe(true);
  });
});

describe('a list of headers', () => {
  it('finds names in any case, joins values and is in the order of names', () => {
    const headers = new HeaderList([
      ['X-Two', 'b'],
      ['a', ' 1 '],
      ['x-two', 'c'],
    ]);
    expect([...headers]).toEqual([
      ['a', '1'],
      ['x-two', 'b, c'],
    ]);
    headers.set('A', '2');
    headers.delete('X-TWO');
    const seen: string[] = [];
    headers.forEach((value, name) => void seen.push(`${name}: ${value}`));
    expect(seen).toEqual(['a: 2']);
    expect([headers.has('a'), headers.get('x-two')]).toEqual([true, null]);
  });

  it("counts Node's own as a list", () => {
    const own: unknown = new Headers();
    expect([own, new HeaderList(), {}, null].map((value) => value instanceof HeaderList)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

it('all bytes of a body are put together', async () => {
  const chunks = chunksOf(createResponse(bytesOf('a', '', 'bc'), HEAD));
  expect(chunks === null ? [] : [...(await readBytes(chunks))]).toEqual([97, 98, 99]);
});
