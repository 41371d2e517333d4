import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ModelsOptions } from '../../src/model/create.js';
import { keepFresh } from '../../src/model/keyless.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { startModelServer } from '../helpers/model-server.js';
import { question } from './contract.js';
import { claude, completion, converseReply, gemini, openModel, realmFetch } from './open-model.js';

type Env = ModelsOptions['env'];
type Question = Parameters<typeof question>[0];

/** GitHub's statement of who runs the job, which a cloud exchanges for a token. */
const STATEMENT = 'eyJhbGciOi.statement.signature';
const idToken = async () => STATEMENT;

const HI = [{ type: 'text', text: 'Hi' }];

/**
 * A fetch that goes to servers of the test instead of the hosts of the real world; any other host
 * is refused.
 */
function routedFetch(servers: Readonly<Record<string, string>>): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(String(input));
    const server = servers[url.host];
    if (server === undefined)
      return Promise.reject(new Error(`nobody may be asked at ${url.href}`));
    return realmFetch(`${server}${url.pathname}${url.search}`, init);
  };
}

/** The server of a cloud under its host, and those that give credentials under theirs. */
async function startCloud(
  host: string,
  tokens: Readonly<Record<string, { readonly url: string }>> = {},
) {
  const bodyOf = (path: string) => {
    if (path.endsWith('/chat/completions')) return completion({ content: 'Hi' });
    if (path.endsWith('/converse')) return converseReply('end_turn', [{ text: 'Hi' }]);
    return /RawPredict$/i.test(path) ? claude('end_turn', HI) : gemini('STOP', [{ text: 'Hi' }]);
  };
  const server = await startModelServer(({ path }) => ({
    kind: 'raw',
    status: 200,
    body: bodyOf(path),
  }));
  const urls = Object.entries(tokens).map(([name, { url }]) => [name, url]);
  const fetch = routedFetch({ [host]: server.url, ...Object.fromEntries(urls) });
  const audiences: string[] = [];
  const counted = async (audience: string) => {
    audiences.push(audience);
    return STATEMENT;
  };
  /** Asks twice, so that it is seen what is asked once only. */
  const ask = async (
    ref: string,
    env: Env,
    options: Partial<ModelsOptions> = {},
    patch: Question = {},
  ) => {
    // Without a server for tokens a model is asked by its key, where no job can be asked for a
    // statement.
    const keyless = urls.length === 0 ? {} : { idToken: counted };
    const model = await openModel(ref, { env, fetch, ...keyless, ...options });
    for (const asked of [question(patch), question(patch)])
      expect((await model.doGenerate(asked)).content).toMatchObject([{ text: 'Hi' }]);
    return server.requests().at(-1);
  };
  return { server, audiences, ask };
}

/** A server that answers everybody alike. */
async function startTokens(body: unknown, status = 200) {
  return await startLoopback((_, response) => {
    if (typeof body === 'string')
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    else sendJson(response, status, body);
  });
}

/** The form in the body of a request. */
function formIn(request: { readonly body: unknown } | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(String(request?.body)));
}

const AZURE = 'octo.openai.azure.com';
const ENTRA = 'login.microsoftonline.com';
const KEYED = { AZURE_OPENAI_API_KEY: 'k', AZURE_RESOURCE_NAME: 'octo' };
const APPLICATION = {
  AZURE_TENANT_ID: 'octo-tenant',
  AZURE_CLIENT_ID: 'octo-client',
  AZURE_RESOURCE_NAME: 'octo',
};

const BEDROCK = 'bedrock-runtime.eu-central-1.amazonaws.com';
const STS = 'sts.eu-central-1.amazonaws.com';
const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const REGION = { AWS_REGION: 'eu-central-1' };
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAOCTOCAT', AWS_SECRET_ACCESS_KEY: 'octo/secret+key' };
const ROLE = { ...REGION, AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/octo' };

const VERTEX = 'aiplatform.googleapis.com';
const GOOGLE_STS = 'sts.googleapis.com';
const GEMINI = 'vertex/gemini-3.5-flash';
const PROJECT = { GOOGLE_CLOUD_PROJECT: 'octo-project' };
const TOKEN = { ...PROJECT, CLOUDSDK_AUTH_ACCESS_TOKEN: 'ya29.octo' };
const POOL = 'projects/1/locations/global/workloadIdentityPools/octo/providers/github';
const IDENTITY = { ...PROJECT, GOOGLE_WORKLOAD_IDENTITY_PROVIDER: POOL };
const FILE = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: '/creds.json' };

/** The model, settings, exit status and message. */
const UNUSABLE = `
azure/m | AZURE_OPENAI_API_KEY=k | 2 | the address of provider "azure" is not configured (set AZURE_RESOURCE_NAME)
azure/m | AZURE_OPENAI_API_KEY=k AZURE_RESOURCE_NAME=evil.example/# | 2 | \`AZURE_RESOURCE_NAME\` is not the name of a resource
azure/m | AZURE_OPENAI_API_KEY=k AXE_AZURE_BASE_URL=https://a:b@h | 2 | invalid base URL for provider "azure"
azure/m | AZURE_RESOURCE_NAME=octo | 2 | credentials for provider "azure" are not configured (set AZURE_OPENAI_API_KEY, or AZURE_CLIENT_ID and AZURE_TENANT_ID)
bedrock/m | AWS_ACCESS_KEY_ID=A AWS_SECRET_ACCESS_KEY=s | 2 | the region of provider "bedrock" is not configured (set AWS_REGION)
bedrock/m | AWS_REGION=x.evil.example/ | 2 | \`AWS_REGION\` is not the name of a region
bedrock/m | AWS_REGION=eu-central-1 | 2 | credentials for provider "bedrock" are not configured (set AWS_ROLE_ARN, AWS_ACCESS_KEY_ID or AWS_BEARER_TOKEN_BEDROCK)
vertex/claude-x | GOOGLE_VERTEX_API_KEY=k | 3 | \`claude-x\` on Vertex cannot be used with a key, only Gemini can
vertex/m | CLOUDSDK_AUTH_ACCESS_TOKEN=t | 2 | the project of provider "vertex" is not configured (set GOOGLE_CLOUD_PROJECT)
vertex/m | GOOGLE_CLOUD_PROJECT=p GOOGLE_CLOUD_LOCATION=evil.example/ | 2 | \`GOOGLE_CLOUD_LOCATION\` is not the name of a region
vertex/m | GOOGLE_CLOUD_PROJECT=p HOME=/home/octocat | 2 | credentials for provider "vertex" are not configured (set GOOGLE_WORKLOAD_IDENTITY_PROVIDER or GOOGLE_VERTEX_API_KEY)
vertex/m | GOOGLE_CLOUD_PROJECT=p GOOGLE_APPLICATION_CREDENTIALS=/creds.json | 3 | auth: the credential file \`/creds.json\` cannot be read
`
  .trim()
  .split('\n')
  .map((line) => line.split(' | '));

it.each(UNUSABLE)(
  '%s is not opened with %s: exit status %s, %s',
  async (ref = '', set = '', status, message) => {
    const env = Object.fromEntries(set.split(' ').map((one) => one.split('=')));
    const asked = openModel(ref, {
      env,
      fetch: routedFetch({}),
      readTextFile: async () => undefined,
    });
    await expect(asked).rejects.toMatchObject({ exitCode: Number(status), message });
  },
);

describe('a cloud that gives no credentials', () => {
  const refusal = { error: 'invalid_request', error_description: `no match for ${STATEMENT}` };
  const denied = `<ErrorResponse><Error><Message>Not authorized: ${STATEMENT}</Message></Error></ErrorResponse>`;

  const entra = ['azure/m', APPLICATION, ENTRA, 'Microsoft Entra'] as const;
  const aws = ['bedrock/anthropic.claude-3-m', ROLE, STS, 'AWS STS'] as const;
  const google = [GEMINI, IDENTITY, GOOGLE_STS, 'Google'] as const;

  it.each([
    [entra, 400, refusal, 'auth: % gave no credentials: no match for ***'],
    [entra, 401, { error: 'x' }, 'auth: % gave no credentials: x'],
    [entra, 429, {}, 'rate_limit: % gave no credentials: HTTP status 429'],
    [entra, 200, { a: 1 }, 'server: %: `access_token` is missing'],
    [aws, 403, denied, 'auth: % gave no credentials: Not authorized: ***'],
    [aws, 503, 'nope', 'server: % gave no credentials: HTTP status 503'],
    [aws, 200, '<X/>', 'server: %: `AccessKeyId` is missing in the answer'],
    [google, 400, refusal, 'auth: % gave no credentials: no match for ***'],
  ])('has its reason told, and no model is asked: %#', async (cloud, status, body, message) => {
    const [ref, env, host, name] = cloud;
    const tokens = await startTokens(body, status);
    const model = await openModel(ref, {
      env,
      fetch: routedFetch({ [host]: tokens.url }),
      idToken,
    });
    const told = { name: 'ProviderError', message: message.replace('%', name) };
    await expect(model.doGenerate(question())).rejects.toMatchObject(told);
  });

  it('is never followed to another host', async () => {
    const other = await startTokens({});
    const sts = await startLoopback((_, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    const model = await openModel('bedrock/anthropic.claude-3-m', {
      env: ROLE,
      fetch: routedFetch({ [STS]: sts.url }),
      idToken,
    });
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      category: 'server',
      status: 307,
    });
    expect(other.requests()).toEqual([]);
  });

  it.each([
    ['auth: there is no identity token: this is not a job of a workflow', 'use a key', undefined],
    [
      'auth: GitHub gave no identity token: no URL',
      'id-token: write',
      () => Promise.reject(new Error('no URL')),
    ],
  ])('is not even asked without a statement: %s', async (message, words, none) => {
    const model = await openModel('bedrock/anthropic.claude-3-m', {
      env: ROLE,
      fetch: routedFetch({}),
      idToken: none,
    });
    const remedy = expect.stringContaining(words);
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message,
      exitCode: 3,
      remedy,
    });
  });

  it.each([
    [
      { type: 'authorized_user' },
      'the credential file `/creds.json` is none of a workload identity or a service account',
    ],
    [{ type: 'external_account', audience: 'x' }, 'server: the credential file: `url` is missing'],
    [
      { type: 'service_account', client_email: 'a@b', private_key: 'octo' },
      'auth: the private key of the service account cannot be read',
    ],
  ])('is not asked with an unusable file: %j', async (credential, message) => {
    const readTextFile = async () => JSON.stringify(credential);
    const asked = openModel(GEMINI, { env: FILE, fetch: routedFetch({}), readTextFile });
    await expect(asked.then((model) => model.doGenerate(question()))).rejects.toMatchObject({
      message,
    });
  });
});

describe('a temporary credential', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  it('is kept until five minutes before it expires, and then fetched again', async () => {
    let loads = 0;
    const fresh = keepFresh(async () => {
      loads += 1;
      return { value: `token ${loads}`, expiresAtMs: Date.now() + 3_600_000 };
    });
    expect(await fresh()).toBe('token 1');
    jest.setSystemTime(3_299_999);
    expect(await fresh()).toBe('token 1');
    jest.setSystemTime(3_300_000);
    expect(await fresh()).toBe('token 2');
  });
});

describe('Azure', () => {
  it.each([
    ['a resource', { AZURE_RESOURCE_NAME: 'octo' }],
    ["OpenAI's own variable", { AZURE_OPENAI_ENDPOINT: `https://${AZURE}/` }],
    ['an address with its path', { AXE_AZURE_BASE_URL: `https://${AZURE}/openai` }],
    ['an address with its version', { AXE_AZURE_BASE_URL: `https://${AZURE}/openai/v1/` }],
  ])('is called at the v1 interface of %s, with the key in its own header', async (_, env) => {
    const { ask } = await startCloud(AZURE);
    const request = await ask('azure/my-gpt', { AZURE_OPENAI_API_KEY: ' azure-key ', ...env });
    expect(request).toMatchObject({
      path: '/openai/v1/chat/completions',
      headers: { 'api-key': 'azure-key' },
      body: { model: 'my-gpt' },
    });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('uses the key of the input, and accepts the shorter name of the variable', async () => {
    const { ask } = await startCloud(AZURE);
    const env = { AZURE_RESOURCE_NAME: 'octo', AZURE_API_KEY: 'short' };
    expect((await ask('azure/m', env))?.headers['api-key']).toBe('short');
    expect((await ask('azure/m', env, { apiKey: 'input' }))?.headers['api-key']).toBe('input');
  });

  it.each([
    ['my-deploy', true],
    ['gpt-4.1', false],
    ['gpt-5', true],
    ['o3', true],
  ])('limits %s with one parameter alone', async (name, thinks) => {
    const { ask } = await startCloud(AZURE);
    const request = await ask(`azure/${name}`, KEYED, {}, { maxOutputTokens: 77 });
    expect(request?.body).toEqual({
      model: name,
      max_completion_tokens: 77,
      ...(thinks ? { stream: true, stream_options: { include_usage: true } } : {}),
      messages: [
        { role: expect.stringMatching(/^(?:system|developer)$/), content: 'Be brief.' },
        { role: 'user', content: 'Say hi.' },
      ],
    });
  });

  it('has long descriptions of tools cut, which it refuses', async () => {
    const { ask } = await startCloud(AZURE);
    const tool = {
      type: 'function',
      name: 'look',
      description: 'd'.repeat(4000),
      inputSchema: {},
    } as const;
    const sent = (await ask('azure/m', KEYED, {}, { tools: [tool] }))?.bytes.toString() ?? '';
    expect(/d{900,}/.exec(sent)?.[0]).toHaveLength(1023);
  });

  it('exchanges the workflow’s identity token for an access token, once, and is sent it', async () => {
    const entra = await startTokens({ access_token: 'entra-token', expires_in: 3599 });
    const { server, audiences, ask } = await startCloud(AZURE, { [ENTRA]: entra });
    await ask('azure/m', APPLICATION);
    expect(audiences).toEqual(['api://AzureADTokenExchange']);
    expect(entra.requests().map(({ path }) => path)).toEqual(['/octo-tenant/oauth2/v2.0/token']);
    expect(formIn(entra.requests()[0])).toEqual({
      client_id: 'octo-client',
      scope: 'https://cognitiveservices.azure.com/.default',
      grant_type: 'client_credentials',
      client_assertion: STATEMENT,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    for (const { headers } of server.requests()) {
      expect(headers['authorization']).toBe('Bearer entra-token');
      expect(headers).not.toHaveProperty('api-key');
    }
  });

  it('is sent a token that is there already', async () => {
    const { ask } = await startCloud(AZURE);
    const request = await ask('azure/m', {
      AZURE_RESOURCE_NAME: 'octo',
      AZURE_OPENAI_AD_TOKEN: 'ready',
    });
    expect(request?.headers['authorization']).toBe('Bearer ready');
  });
});

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=([\w;-]*host[\w;-]*), Signature=([0-9a-f]{64})$/;

describe('Bedrock', () => {
  it('is called in its region, with the signature that AWS computes by the keys of the environment', async () => {
    const { ask } = await startCloud(BEDROCK);
    const request = await ask(`bedrock/${CLAUDE}`, { ...KEYS, ...REGION });
    expect(request?.path).toBe(`/model/${encodeURIComponent(CLAUDE)}/converse`);
    const headers = request?.headers ?? {};
    expect(headers).not.toHaveProperty('x-amz-security-token');
    expect(JSON.stringify(headers)).not.toContain('octo/secret+key');
    const [, id, names = '', signature] = SIGNED.exec(headers['authorization'] ?? '') ?? [];
    expect(id).toBe('AKIAOCTOCAT');
    const date = headers['x-amz-date'] ?? '';
    expect(date).toMatch(/^\d{8}T\d{6}Z$/);
    const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
    const hmac = (key: string | Buffer, data: string) =>
      createHmac('sha256', key).update(data).digest();
    const canonical = [
      'POST',
      `/model/${encodeURIComponent(encodeURIComponent(CLAUDE))}/converse`,
      '',
      ...names
        .split(';')
        .map((name) => `${name}:${name === 'host' ? BEDROCK : (headers[name] ?? '')}`),
      '',
      names,
      sha256(request?.bytes ?? ''),
    ].join('\n');
    const scope = [date.slice(0, 8), 'eu-central-1', 'bedrock', 'aws4_request'];
    const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n');
    const secret: string | Buffer = `AWS4${KEYS.AWS_SECRET_ACCESS_KEY}`;
    const key = scope.reduce<string | Buffer>((before, part) => hmac(before, part), secret);
    expect(signature).toBe(hmac(key, toSign).toString('hex'));
  });

  it('prefers a key of its own to everything else', async () => {
    const { ask } = await startCloud(BEDROCK);
    const env = { ...KEYS, ...REGION, AWS_BEARER_TOKEN_BEDROCK: ' bedrock-key\n' };
    expect((await ask('bedrock/anthropic.claude-3-m', env))?.headers['authorization']).toBe(
      'Bearer bedrock-key',
    );
    const given = await ask('bedrock/anthropic.claude-3-m', env, { apiKey: 'input-key' });
    expect(given?.headers['authorization']).toBe('Bearer input-key');
  });

  it('finds its region in the places of AWS and axe', async () => {
    const { server, ask } = await startCloud(BEDROCK);
    const region = { bedrock: { apiKey: '', baseUrl: '', region: 'eu-central-1' } };
    await ask('bedrock/anthropic.claude-3-m', { ...KEYS, AWS_DEFAULT_REGION: 'eu-central-1' });
    await ask('bedrock/anthropic.claude-3-m', { ...KEYS, AXE_BEDROCK_REGION: 'eu-central-1' });
    await ask('bedrock/anthropic.claude-3-m', KEYS, { loadConfig: async () => region });
    expect(server.requests()).toHaveLength(6);
  });

  it('is signed as a role that is assumed once, with the token of the workflow', async () => {
    const sts = await startTokens(`<AssumeRoleWithWebIdentityResult><Credentials>
      <SessionToken>octo-session-token</SessionToken><SecretAccessKey>octo-role-secret</SecretAccessKey>
      <Expiration>2099-01-01T00:00:00Z</Expiration><AccessKeyId>ASIAOCTOROLE</AccessKeyId>
    </Credentials></AssumeRoleWithWebIdentityResult>`);
    const { server, audiences, ask } = await startCloud(BEDROCK, { [STS]: sts });
    await ask('bedrock/anthropic.claude-3-m', ROLE);
    expect(audiences).toEqual(['sts.amazonaws.com']);
    expect(sts.requests()).toHaveLength(1);
    expect(formIn(sts.requests()[0])).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::123456789012:role/octo',
      RoleSessionName: 'axe-action',
      WebIdentityToken: STATEMENT,
    });
    for (const { headers } of server.requests()) {
      expect(SIGNED.exec(headers['authorization'] ?? '')?.[1]).toBe('ASIAOCTOROLE');
      expect(headers['x-amz-security-token']).toBe('octo-session-token');
    }
  });
});

describe('Vertex AI', () => {
  it.each([
    ['global', VERTEX],
    ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ])('in %s is called at %s, with a token and without a key', async (location, host) => {
    const { ask } = await startCloud(host);
    const request = await ask(GEMINI, { ...TOKEN, GOOGLE_CLOUD_LOCATION: location });
    expect(request?.path).toBe(
      `/v1beta1/projects/octo-project/locations/${location}/publishers/google/models/gemini-3.5-flash:streamGenerateContent`,
    );
    expect(request?.headers).toMatchObject({ authorization: 'Bearer ya29.octo' });
    expect(request?.headers).not.toHaveProperty('x-goog-api-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  it.each([
    ['claude-sonnet-4-5@20250929', 'rawPredict', 4096],
    ['claude-sonnet-5-5', 'streamRawPredict', 128_000],
  ])(
    'offers %s, with the model in the address and the version in the body',
    async (model, method, max_tokens) => {
      const { ask } = await startCloud(VERTEX);
      const request = await ask(`vertex/${model}`, TOKEN);
      expect(decodeURIComponent(request?.path ?? '')).toBe(
        `/v1/projects/octo-project/locations/global/publishers/anthropic/models/${model}:${method}`,
      );
      expect(request?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens });
      expect(request?.body).not.toHaveProperty('model');
      expect(request?.headers).toMatchObject({ authorization: 'Bearer ya29.octo' });
      expect(request?.headers).not.toHaveProperty('x-api-key');
    },
  );

  it('accepts a key without a project, in a header', async () => {
    const { ask } = await startCloud(VERTEX);
    const request = await ask(GEMINI, { GOOGLE_VERTEX_API_KEY: 'express-key' });
    expect(request?.path).toBe(
      '/v1/publishers/google/models/gemini-3.5-flash:streamGenerateContent',
    );
    expect(request?.headers['x-goog-api-key']).toBe('express-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  const ACCOUNT = 'octo@octo-project.iam.gserviceaccount.com';
  const IMPERSONATION = `/v1/projects/-/serviceAccounts/${ACCOUNT}:generateAccessToken`;
  const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

  it.each<[string, Env]>([
    ['names', { GOOGLE_WORKLOAD_IDENTITY_PROVIDER: POOL, GOOGLE_SERVICE_ACCOUNT: ACCOUNT }],
    ['the file of `google-github-actions/auth`', { GOOGLE_APPLICATION_CREDENTIALS: '/creds.json' }],
  ])(
    'exchanges the identity token, and impersonates the service account: by %s',
    async (_, named) => {
      const sts = await startTokens({ access_token: 'google-token', expires_in: 3599 });
      const iam = await startTokens({
        accessToken: 'account-token',
        expireTime: '2099-01-01T00:00:00Z',
      });
      const hosts = { [GOOGLE_STS]: sts, 'iamcredentials.googleapis.com': iam };
      const { server, audiences, ask } = await startCloud(VERTEX, hosts);
      const external = {
        type: 'external_account',
        audience: `//iam.googleapis.com/${POOL}`,
        credential_source: {
          url: `https://github.example/token?audience=https://iam.googleapis.com/${POOL}`,
        },
        service_account_impersonation_url: `https://iamcredentials.googleapis.com${IMPERSONATION}`,
      };
      const readTextFile = async () => JSON.stringify(external);
      await ask(GEMINI, { ...PROJECT, ...named }, { readTextFile });
      expect(audiences).toEqual([`https://iam.googleapis.com/${POOL}`]);
      expect(sts.requests().map(({ path }) => path)).toEqual(['/v1/token']);
      expect(formIn(sts.requests()[0])).toEqual({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        audience: `//iam.googleapis.com/${POOL}`,
        scope: SCOPE,
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        subject_token: STATEMENT,
      });
      expect(iam.requests().map(({ path }) => decodeURIComponent(path))).toEqual([IMPERSONATION]);
      expect(iam.requests()[0]).toMatchObject({
        headers: { authorization: 'Bearer google-token' },
        body: { scope: [SCOPE] },
      });
      for (const { headers } of server.requests())
        expect(headers['authorization']).toBe('Bearer account-token');
    },
  );

  it('takes the key of a service account, which signs for itself', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const google = await startTokens({ access_token: 'google-token', expires_in: 3599 });
    const { ask } = await startCloud(VERTEX, { 'oauth2.googleapis.com': google });
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const credential = { type: 'service_account', client_email: ACCOUNT, private_key };
    const request = await ask(GEMINI, FILE, {
      readTextFile: async () => JSON.stringify(credential),
    });
    expect(request?.headers['authorization']).toBe('Bearer google-token');
    const { assertion = '', grant_type } = formIn(google.requests()[0]);
    expect(grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const aud = 'https://oauth2.googleapis.com/token';
    const said: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(said).toMatchObject({ iss: ACCOUNT, aud, scope: SCOPE });
  });
});
