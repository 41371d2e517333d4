import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { findProvider } from '../../src/model/catalog.js';
import { findOverflow, toProviderError } from '../../src/model/errors.js';

const KEY = 'correct-horse-battery';
const URL_OF_CALL = 'http://models.example:8080/v1/chat/completions';

function callError(details: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: 'm', url: URL_OF_CALL, requestBodyValues: {}, ...details });
}

function told(thrown: unknown, provider = 'openai') {
  return toProviderError(thrown, findProvider({ provider, model: 'm' }), [KEY]);
}

/** What is told of an answer with this status and body. */
function answered(statusCode: number, body: unknown, provider?: string) {
  return told(callError({ statusCode, responseBody: JSON.stringify(body) }), provider);
}

describe('an answer with an error status', () => {
  it.each([
    ['an object', { error: { message: 'no such field', type: 't' } }, 'no such field'],
    ['a bare error (Ollama)', { error: 'no such field' }, 'no such field'],
    ['a bare message', { message: 'no such field' }, 'no such field'],
    ['a list of one (Vertex)', [{ error: { message: 'no such field' } }], 'no such field'],
    ['a blank message', { error: { message: ' ' } }, 'Bad Request'],
    ['a message that is not text', { error: { message: 7 } }, 'Bad Request'],
    ['a list', [1, 2], 'Bad Request'],
    ['a detail (FastAPI)', { detail: 'no such field' }, 'no such field'],
    [
      'a list of details',
      { detail: [{ loc: ['body', 'n'], msg: 'too high' }] },
      'body.n: too high',
    ],
    ['an empty list of details', { detail: [] }, 'Bad Request'],
    ['another shape', { oops: 'x' }, 'Bad Request'],
  ])('is reported with the API’s message: %s', (_, body, text) => {
    expect(answered(400, body).message).toBe(`bad_request: ${text}`);
  });

  it.each([
    [302, 'server: Found'],
    [400, 'bad_request: Bad Request'],
    [404, 'bad_request: Not Found'],
    [413, 'server: Request Entity Too Large'],
    [500, 'server: Internal Server Error'],
    [502, 'server: Bad Gateway'],
    [529, 'server: the service is overloaded (HTTP 529)'],
    [499, 'server: HTTP status 499'],
  ])('%i without a message of its own is "%s"', (statusCode, message) => {
    for (const responseBody of ['<html>bad</html>', '', undefined])
      expect(told(callError({ statusCode, responseBody }))).toMatchObject({
        message,
        status: statusCode,
      });
  });

  it('C4 61: is one line of at most 500 characters, without what moves a terminal', () => {
    const message = `bad\u001b[31m\nrequest ${'x'.repeat(100_000)}`;
    const error = answered(400, { error: { message } });
    expect(error.message).toMatch(/^bad_request: bad request x{400,}…$/);
    expect(error.message.length).toBeLessThanOrEqual(500 + 'bad_request: '.length);
  });

  const DOWN =
    'The provider has a problem. Try again later, or use another model: a second one in `model` in a workflow, `--model` on the command line.';
  const BILLING = 'Check the credits, the quota and the billing of the account at openai.';

  const REWORD = 'Reword the task, or choose another model.';

  it.each([
    [401, 'm', 'Check the key in `OPENAI_API_KEY`, and that it can use this model.'],
    [403, 'm', 'Check the key in `OPENAI_API_KEY`, and that it can use this model.'],
    [404, 'm', "Check the model's name; openai does not know it, or the key cannot use it."],
    [400, 'm', 'Check `model` and `[params]` of the agent against what the provider says.'],
    [499, 'm', 'Check `model` and `[params]` of the agent against what the provider says.'],
    [429, 'm', 'The provider limits requests and tokens. Try again later, or use another model.'],
    [307, 'm', 'Redirects are not followed; set the base URL to the final address.'],
    [408, 'm', DOWN],
    [424, 'The system encountered an unexpected error during processing. (Bedrock)', DOWN],
    [500, 'm', DOWN],
    [529, 'm', DOWN],
    [402, 'm', BILLING],
    [400, 'Your credit balance is too low to access the Anthropic API.', BILLING],
    [400, "The prompt triggered Azure OpenAI's content management policy.", REWORD],
    [429, 'You exceeded your current quota, please check your plan and billing details.', BILLING],
  ])('%i, %s has a remedy: %s', (statusCode, message, remedy) => {
    expect(answered(statusCode, { error: { message } }).remedy).toBe(remedy);
  });

  it('has a remedy for who signs in to a cloud without a key, and for a wrong key of Google', () => {
    expect(told(callError({ statusCode: 403 }), 'bedrock').remedy).toBe(
      'Check that the key or role can use this model on bedrock, in this region or project.',
    );
    const body = { error: { message: 'API key not valid. Please pass a valid one.' } };
    expect(answered(400, body, 'google').remedy).toBe(
      'Check the key in `GEMINI_API_KEY`, and that it can use this model.',
    );
  });

  it.each([
    ['ollama', 400, 'library/gemma3:270m does not support tools', '`ollama show` lists `tools`'],
    ['local', 400, 'No connected db.', 'Check the key in `LOCAL_API_KEY`'],
  ])(
    'of a server of one’s own names what helps: %s, %i, %s',
    (provider, status, message, remedy) => {
      expect(answered(status, { error: { message } }, provider).remedy).toContain(remedy);
    },
  );

  it('of Cloudflare’s form is reported with its first message', () => {
    const body = { success: false, errors: [{ code: 7003, message: 'no route' }] };
    expect(answered(400, body).message).toBe('bad_request: no route');
  });

  it('that a request was too long is reported with the window', () => {
    const message = 'prompt is too long: 9 tokens > 8192 maximum';
    expect(answered(400, { error: { message } })).toMatchObject({
      category: 'bad_request',
      overflow: { windowTokens: 8192 },
      remedy:
        'Give the agent less to read, or choose a model with a larger context window. A review needs at least 8,192 tokens.',
    });
    expect(told(callError({ statusCode: 400 })).overflow).toBeUndefined();
  });
});

describe('C4 59: the time that a provider asks to wait', () => {
  const google = (retryDelay: string) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    return JSON.stringify({ error: { message: 'slow down', details } }, null, 2);
  };

  const [NOW, IN_A_MINUTE] = ['Fri, 27 Nov 2026 23:59:30 GMT', 'Sat, 28 Nov 2026 00:00:30 GMT'];

  it.each([
    ['seconds', { 'retry-after': '7' }, '', 7000],
    ['seconds with spaces', { 'retry-after': ' 90 ' }, '', 90_000],
    ['half seconds', { 'retry-after': '1.5' }, '', 1500],
    ['a negative number', { 'retry-after': '-5' }, '', undefined],
    ['a date (RFC 9110)', { 'retry-after': IN_A_MINUTE, date: NOW }, '', 60_000],
    ['a date that is over', { 'retry-after': NOW, date: IN_A_MINUTE }, '', undefined],
    ['a date of a server without a clock', { 'retry-after': IN_A_MINUTE }, '', undefined],
    ['a number beyond all measure', { 'retry-after': '9'.repeat(40) }, '', undefined],
    ['nothing', {}, '', undefined],
    ["in Google's body", {}, google('34s'), 34_000],
    ["in Google's body, parts of a second", {}, google('0.25s'), 250],
    ["in Google's body, in another form", {}, google('soon'), undefined],
  ])('is %s', (_, responseHeaders, responseBody, retryAfterMs) => {
    const error = told(callError({ statusCode: 429, responseHeaders, responseBody }));
    expect(error.category).toBe('rate_limit');
    expect(error.retryAfterMs).toBe(retryAfterMs);
  });
});

it.each([
  [{ message: 'went away' }, 'server: went away', 500],
  ['went away', 'server: went away', 500],
  [{ message: 'try later', code: 429 }, 'rate_limit: try later', 429],
  [{ message: 'it broke', code: 'server_error' }, 'server: it broke', 500],
  [{ message: 'too fast', code: 'rate_limit_exceeded' }, 'rate_limit: too fast', 429],
  [{ message: 'busy', type: 'overloaded_error' }, 'server: busy', 529],
  [{ message: 'no money', code: 'insufficient_quota' }, 'rate_limit: no money', 429],
  [{ message: 'no key', type: 'authentication_error' }, 'auth: no key', 401],
  [{ message: 'no key', code: 'invalid_api_key' }, 'auth: no key', 401],
  [{ message: 'not yours', type: 'permission_error' }, 'auth: not yours', 403],
  [{ message: 'too odd', type: 'invalid_request_error' }, 'bad_request: too odd', 400],
])(
  'an error in a good answer is told in the words of the provider: %j',
  (inside, message, status) => {
    const error = answered(200, { error: inside });
    expect(error).toMatchObject({ message, status });
    expect(error.remedy).not.toContain('proxy');
  },
);

it.each([
  ['', 'the body is empty'],
  [' \n', 'the body is empty'],
  ['<!DOCTYPE html><html>Sign in</html>', 'the body is an HTML page'],
  ['\n<html lang="en">', 'the body is an HTML page'],
  ['<xml/>', 'the body is not valid JSON'],
  ['{"half": ', 'the body is not valid JSON'],
  ['{"a": 1}', 'the body does not have the expected shape'],
])('an answer that cannot be read is described: %j', (responseBody, problem) => {
  const error = told(callError({ statusCode: 200, responseBody }));
  expect(error).toMatchObject({
    message: `server: failed to parse response: ${problem}`,
    remedy: expect.stringContaining('a proxy'),
  });
});

it.each([
  [{ code: 'UND_ERR_SOCKET', message: 'other side closed' }, 'the server closed the connection'],
  [{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'the server closed the connection'],
  [{ message: 'it ended in the middle' }, 'it ended in the middle'],
])('an answer that broke off is reported so, and in axe’s words: %j', (cause, reason) => {
  const error = told(callError({ statusCode: 200, cause: new TypeError('terminated', { cause }) }));
  expect(error).toMatchObject({
    message: `server: the answer broke off: ${reason}`,
    axe: `server: failed to read response body: ${cause.message}`,
    connection: 'broken',
  });
});

describe('C4 57: a connection that fails', () => {
  const broke = [
    'the connection broke before the answer came',
    'connection reset by peer',
  ] as const;
  const refused = 'dial tcp m.test:8080: connect: connection refused';

  it.each([
    ['ECONNREFUSED', 'nothing answers there (connection refused)', refused],
    ['ENOTFOUND', 'there is no such host', 'dial tcp: lookup m.test: no such host'],
    ['ECONNRESET', ...broke],
    ['UND_ERR_SOCKET', ...broke],
    ['CERT_HAS_EXPIRED', 'what Node says', 'what Node says'],
  ])("is reported, and in Go's words as axe: %s", (code, text, axe) => {
    const cause = Object.assign(new Error('what Node says'), { code });
    expect(told(callError({ cause, url: 'http://m.test:8080/v1' }))).toMatchObject({
      message: `server: http://m.test:8080: ${text}`,
      axe: `server: Post "http://m.test:8080/v1": ${axe}`,
      exitCode: 3,
      remedy: 'Check the network and `AXE_OPENAI_BASE_URL`.',
    });
  });

  it('is not blamed on the host if the proxy is the cause', () => {
    const proxy = new AxeError('the proxy proxy.example:3128 cannot be reached', {
      remedy: 'Check it.',
    });
    expect(told(callError({ cause: proxy }), 'ollama')).toMatchObject({
      message: 'server: the proxy proxy.example:3128 cannot be reached',
      remedy: 'Check it.',
    });
  });

  it('has a hint to start Ollama', () => {
    const cause = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    expect(told(callError({ cause }), 'ollama').message).toBe(
      'server: connection refused: is Ollama running? (expected at http://models.example:8080)',
    );
  });
});

/** The window where it is told, who says so, and in which words. */
const TOO_LONG = `
200000 | Anthropic | prompt is too long: 208310 tokens > 200000 maximum
200000 | Anthropic | input length and \`max_tokens\` exceed context limit: 188240 + 21333 > 200000, try
- | Anthropic, in bytes | Request exceeds the maximum size
128000 | OpenAI | This model's maximum context length is 128000 tokens. However, your
- | OpenAI Responses | Your input exceeds the context window of this model. Please
1048576 | Gemini | The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).
- | Bedrock | Input is too long for requested model.
4096 | vLLM | This model's maximum context length is 4096 tokens. However, you requested 4609 tokens
4096 | llama.cpp | request (4099 tokens) exceeds the available context size (4096 tokens), try
- | llama.cpp, older | the request exceeds the available context size
32768 | Mistral | Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length
131072 | OpenRouter | This endpoint's maximum context length is 131,072 tokens. However, you
131072 | xAI | This model's maximum prompt length is 131072 but the request contains 537812 tokens.
8193 | Together | \`inputs\` tokens + \`max_new_tokens\` must be <= 8193. Given: 4203 \`inputs\` tokens and 4096
40960 | SGLang | The input (61709 tokens) is longer than the model's context length (40960 tokens).
59862 | SGLang | Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use
8192 | vLLM | The decoder prompt (length 10127) is longer than the maximum model length of 8192. Make
262144 | Kimi | Your request exceeded model token limit: 262144 (requested: 269030)
4096 | LM Studio | tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try
7866 | LM Studio, older | Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough
- | Ollama | the prompt is longer than the context length currently available to the model;
- | MiniMax | invalid params, context window exceeds limit
- | Groq | Please reduce the length of the messages or completion.
8192 | Cerebras | Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192
- | Perplexity | The total length of all messages is too long.
`
  .trim()
  .split('\n')
  .map((line) => line.split(' | '));

describe('a request that is too long', () => {
  it.each(TOO_LONG)('with a window of %s is recognized for %s: %s', (tokens, _, text = '') => {
    for (const status of [400, 413, 422, 500])
      expect(findOverflow(status, text, undefined)).toEqual({
        windowTokens: Number(tokens) || undefined,
      });
  });

  it.each([
    { error: { code: 'context_length_exceeded', message: 'No.' } },
    { error: { code: 'tokens_limit_reached', message: 'No.' } },
    [{ error: { type: 'request_too_large' } }],
  ])('is recognized by its code, %j', (body) => {
    expect(findOverflow(400, 'No.', JSON.stringify(body))).toEqual({ windowTokens: undefined });
    expect(findOverflow(400, 'No.', body)).toEqual({ windowTokens: undefined });
  });

  it('has its window size from the message next to a code', () => {
    const text = 'Request body too large for gpt-4o model. Max size: 8000 tokens.';
    const body = { error: { code: 'tokens_limit_reached', message: text } };
    expect(findOverflow(413, text, body)).toEqual({ windowTokens: 8000 });
  });

  it.each([
    [
      400,
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x',
    ],
    [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.'],
    [400, 'max_completion_tokens 70000 exceeds the token limit of 65536 for output'],
    [400, 'max_new_tokens exceeds maximum allowed length 4096'],
    [400, 'Your file exceeds the maximum size 20 MB'],
    [400, "This request would exceed your account's token limit per minute"],
    [400, 'messages: at least one message is required'],
    [400, "Invalid 'input[0].name': string too long. Expected a string with maximum length 64."],
    [400, 'API key not valid. Please pass a valid API key.'],
    [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42000.'],
    [401, 'prompt is too long'],
    [500, 'Internal server error'],
  ])('is not recognized in %i: %s', (status, text) => {
    expect(findOverflow(status, text, { error: { message: text } })).toBeUndefined();
  });
});
