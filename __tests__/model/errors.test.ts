import { APICallError, TypeValidationError } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { findProvider } from '../../src/model/catalog.js';
import { toProviderError } from '../../src/model/errors.js';

const KEY = 'correct-horse-battery';
const URL_OF_CALL = 'http://models.example:8080/v1/chat/completions';

function callError(details: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: 'm', url: URL_OF_CALL, requestBodyValues: {}, ...details });
}

function told(thrown: unknown, provider = 'openai') {
  return toProviderError(thrown, findProvider({ provider, model: 'm' }), [KEY]);
}

/** An error of the system, as fetch wraps it. */
function networkError(code: string, message: string, cause?: unknown): APICallError {
  return callError({ cause: Object.assign(new Error(message, { cause }), { code }) });
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
    ['another shape', { detail: 'x' }, 'Bad Request'],
  ])('is reported with the API’s message: %s', (_, body, text) => {
    const error = told(callError({ statusCode: 400, responseBody: JSON.stringify(body) }));
    expect(error.message).toBe(`bad_request: ${text}`);
  });

  it.each([
    [302, 'server: Found'],
    [400, 'bad_request: Bad Request'],
    [404, 'bad_request: Not Found'],
    [500, 'server: Internal Server Error'],
    [502, 'server: Bad Gateway'],
    [529, 'server: the service is overloaded (HTTP 529)'],
    [499, 'server: HTTP status 499'],
  ])('%i without a message of its own is "%s"', (statusCode, message) => {
    for (const responseBody of ['<html>bad</html>', '', undefined])
      expect(told(callError({ statusCode, responseBody }))).toMatchObject({ message, status: statusCode });
  });

  it('C4 61: is one line of at most 500 characters, without what moves a terminal', () => {
    const message = `bad\u001b[31m\nrequest ${'x'.repeat(100_000)}`;
    const error = told(callError({ statusCode: 400, responseBody: JSON.stringify({ error: { message } }) }));
    expect(error.message).toMatch(/^bad_request: bad request x{400,}…$/);
    expect(error.message.length).toBeLessThanOrEqual(500 + 'bad_request: '.length);
  });

  const DOWN =
    'The provider has a problem. Try again later, or use another model: a second one in `model` in a workflow, `--model` on the command line.';
  const BILLING = 'Check the credits, the quota and the billing of the account at openai.';

  it.each([
    [401, 'm', 'Check the key in `OPENAI_API_KEY`, and that it can use this model.'],
    [403, 'm', 'Check the key in `OPENAI_API_KEY`, and that it can use this model.'],
    [404, 'm', "Check the model's name; openai does not know it, or the key cannot use it."],
    [400, 'm', 'Check `model` and `[params]` of the agent against what the provider says.'],
    [499, 'm', 'Check `model` and `[params]` of the agent against what the provider says.'],
    [429, 'm', 'The provider limits requests and tokens. Try again later, or use another model.'],
    [307, 'm', 'Redirects are not followed; set the base URL to the final address.'],
    [408, 'm', DOWN],
    [500, 'm', DOWN],
    [529, 'm', DOWN],
    [402, 'm', BILLING],
    [400, 'Your credit balance is too low to access the Anthropic API.', BILLING],
    [429, 'You exceeded your current quota, please check your plan and billing details.', BILLING],
  ])('%i, %s has a remedy: %s', (statusCode, message, remedy) => {
    const responseBody = JSON.stringify({ error: { message } });
    expect(told(callError({ statusCode, responseBody })).remedy).toBe(remedy);
  });

  it('that a request was too long is reported with the window', () => {
    const message = 'prompt is too long: 9 tokens > 8192 maximum';
    const responseBody = JSON.stringify({ error: { message } });
    expect(told(callError({ statusCode: 400, responseBody }))).toMatchObject({
      category: 'bad_request',
      overflow: { windowTokens: 8192 },
      remedy: 'Give the agent less to read, or choose a model with a larger context window.',
    });
    expect(told(callError({ statusCode: 400 })).overflow).toBeUndefined();
  });
});

describe('C4 59: the time that a provider asks to wait', () => {
  const google = (retryDelay: string) => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
    return JSON.stringify({ error: { message: 'slow down', details } }, null, 2);
  };

  it.each([
    ['seconds', { 'retry-after': '7' }, '', 7000],
    ['seconds with spaces', { 'retry-after': ' 90 ' }, '', 90_000],
    ['half seconds', { 'retry-after': '1.5' }, '', undefined],
    ['a negative number', { 'retry-after': '-5' }, '', undefined],
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

describe('C4 61: an answer that cannot be read', () => {
  const shape = new TypeValidationError({ value: { secret: 'x' }, cause: new Error('[{"code":"bad"}]') });

  it.each([
    ['an HTML page', '<!DOCTYPE html><p>Log in', 'the body is not valid JSON'],
    ['cut-off JSON', '{"choices":[', 'the body is not valid JSON'],
    ['JSON of another shape', '{"secret":"x"}', 'the body does not have the expected shape'],
  ])('reports what came: %s', (_, responseBody, text) => {
    const error = told(callError({ statusCode: 200, responseBody, cause: shape }));
    expect(error).toMatchObject({
      message: `server: failed to parse response: ${text}`,
      exitCode: 3,
      status: 200,
      remedy:
        'Run it again. If that does not help, check what answers at the address: a proxy, or `AXE_OPENAI_BASE_URL`.',
    });
  });
});

describe('an error that comes as a good answer', () => {
  it.each([
    [{ message: 'went away' }, 'server: went away', 500],
    ['went away', 'server: went away', 500],
    [{ message: 'try later', code: 429 }, 'rate_limit: try later', 429],
    [{ message: 'it broke', code: 'server_error' }, 'server: it broke', 500],
    [{ message: 'too fast', code: 'rate_limit_exceeded' }, 'rate_limit: too fast', 429],
    [{ message: 'busy', type: 'overloaded_error' }, 'server: busy', 529],
  ])('is told in the words of the provider: %j', (inside, message, status) => {
    const error = told(callError({ statusCode: 200, responseBody: JSON.stringify({ error: inside }) }));
    expect(error).toMatchObject({ message, status });
    expect(error.remedy).not.toContain('proxy');
  });
});

describe('C4 57: a connection that fails', () => {
  it.each([
    [
      'ECONNREFUSED',
      '',
      'nothing answers there (connection refused)',
      'dial tcp models.example:8080: connect: connection refused',
    ],
    [
      'ENOTFOUND',
      'getaddrinfo ENOTFOUND',
      'there is no such host',
      'dial tcp: lookup models.example: no such host',
    ],
    [
      'ECONNRESET',
      'read ECONNRESET',
      'the connection broke before the answer came',
      'connection reset by peer',
    ],
    [
      'UND_ERR_SOCKET',
      'other side closed',
      'the connection broke before the answer came',
      'connection reset by peer',
    ],
    ['CERT_HAS_EXPIRED', 'certificate has expired', 'certificate has expired', 'certificate has expired'],
  ])("is reported, and in Go's words as axe: %s", (code, message, text, axe) => {
    expect(told(networkError(code, message))).toMatchObject({
      message: `server: http://models.example:8080: ${text}`,
      axe: `server: Post "${URL_OF_CALL}": ${axe}`,
      exitCode: 3,
      remedy: 'Check the network and `AXE_OPENAI_BASE_URL`.',
    });
  });

  it('is not blamed on the host if the proxy is the cause', () => {
    const proxy = new AxeError('the proxy proxy.example:3128 cannot be reached', { remedy: 'Check it.' });
    expect(told(callError({ cause: proxy }), 'ollama')).toMatchObject({
      message: 'server: the proxy proxy.example:3128 cannot be reached',
      remedy: 'Check it.',
    });
  });

  it('has a hint to start Ollama', () => {
    expect(told(networkError('ECONNREFUSED', ''), 'ollama').message).toBe(
      'server: connection refused: is Ollama running? (expected at http://models.example:8080)',
    );
  });
});
