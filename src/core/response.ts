/** Bytes in the order in which they come; reading them can fail in the middle. */
export type Chunks = AsyncIterable<Uint8Array>;

/** What a body can be made of. */
type Source = Chunks | Iterable<Uint8Array>;

/** What comes before a body, and how its sender is told that nobody wants the rest. */
interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly url?: string;
  readonly cancel?: () => void;
}

/**
 * A response without Node's own, whose code comes with all of its fetch: that takes a third of the time until a run asks its
 * first question. It has what packages and we read of one. Its body can be read once; null is none.
 */
export function createResponse(source: Source | null, head: ResponseHead): Response {
  const response: unknown = new PlainResponse(source, head);
  return response as Response;
}

/** The same answer with another body: what `change` makes of its bytes, as they are read. */
export function withBody(response: Response, change: (chunks: Chunks) => Chunks): Response {
  const opened = openBody(response);
  if (opened === null) return response;
  const { status, statusText, headers, url } = response;
  return createResponse(change(opened.chunks), { status, statusText, headers, url, cancel: opened.cancel });
}

/** The bytes of a body, whoever made its response; null where there is none. */
export function chunksOf(response: Pick<Response, 'body'>): Chunks | null {
  return openBody(response)?.chunks ?? null;
}

interface OpenedBody {
  readonly chunks: Chunks;
  /** Nobody wants the rest; also where nothing was read yet, which ends no generator. */
  readonly cancel: () => void;
}

function openBody(response: Pick<Response, 'body'>): OpenedBody | null {
  if (response instanceof PlainResponse) return response.open();
  if (response.body === null) return null;
  const reader: Reader = response.body.getReader();
  return { chunks: readChunks(reader), cancel: () => void reader.cancel().catch(() => undefined) };
}

/** All bytes of a body. */
export async function readBytes(chunks: Chunks): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Headers without Node's own: names are found in any case, and several values of a name are one text. */
export class HeaderList implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>();

  constructor(given: NonNullable<RequestInit['headers']> | Iterable<readonly [string, string]> = []) {
    const pairs = Symbol.iterator in given ? given : Object.entries(given);
    for (const [name = '', value = ''] of pairs) this.append(name, value);
  }

  /** Node's own are some too: the bundled packages ask with this class in place of theirs. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (#values in value || 'getSetCookie' in value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ''));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(call: (value: string, name: string) => void): void {
    for (const [name, value] of this) call(value, name);
  }

  /** By name, as in Node's own. */
  entries(): ArrayIterator<[string, string]> {
    return [...this.#values].toSorted(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }
}

class PlainResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly url: string;
  readonly #chunks: Chunks | null;
  readonly #cancel: () => void;
  #body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  #isTaken = false;

  constructor(
    source: Source | null,
    { status, statusText, headers, url = '', cancel = () => {} }: ResponseHead,
  ) {
    this.status = status;
    this.statusText = statusText;
    this.headers = new HeaderList(headers);
    this.url = url;
    this.#chunks = source === null ? null : inOrder(source);
    this.#cancel = cancel;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get bodyUsed(): boolean {
    return this.#isTaken;
  }

  /** For whoever wants a stream; nothing is read before it is. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#chunks === null) return null;
    this.#body ??= streamOf(() => this.open());
    return this.#body;
  }

  /** The body for one reader. Throws a TypeError for a second one. */
  open(): OpenedBody | null {
    if (this.#chunks === null) return null;
    if (this.#isTaken) throw new TypeError('the body of the response has been read already');
    this.#isTaken = true;
    return { chunks: this.#chunks, cancel: this.#cancel };
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const opened = this.open();
    return opened === null ? new Uint8Array() : await readBytes(opened.chunks);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

async function* inOrder(source: Source): AsyncGenerator<Uint8Array> {
  yield* source;
}

/** A stream that opens the body when it is read or cancelled. */
function streamOf(open: () => OpenedBody | null): ReadableStream<Uint8Array<ArrayBuffer>> {
  let begun: { readonly iterator: AsyncIterator<Uint8Array>; readonly cancel: () => void } | undefined;
  const begin = () => {
    const { chunks, cancel } = open() ?? { chunks: inOrder([]), cancel: () => {} };
    return { iterator: chunks[Symbol.asyncIterator](), cancel };
  };
  return new ReadableStream(
    {
      async pull(controller) {
        begun ??= begin();
        const { done, value } = await begun.iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      async cancel() {
        begun ??= begin();
        // Before the iterator, which ends only when what it waits for has come.
        begun.cancel();
        await begun.iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** One reader of a stream; undici's and Node's own streams are declared apart. */
interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

async function* readChunks(reader: Reader): AsyncGenerator<Uint8Array> {
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield value ?? new Uint8Array();
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
