import { describe, expect, it } from '@jest/globals';
import type { ModelsOptions } from '../../src/model/create.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { startModelServer } from '../helpers/model-server.js';
import { countedIdToken, formIn, idToken, routedFetch, STATEMENT } from './cloud.js';
import { question } from './contract.js';
import { completion, openModel } from './open-model.js';

const COMPLETION = completion({ content: 'Hi' });
const APPLICATION = { AZURE_TENANT_ID: 'octo-tenant', AZURE_CLIENT_ID: 'octo-client' };
const KEYED = { AZURE_OPENAI_API_KEY: 'k', AZURE_RESOURCE_NAME: 'octo' };

async function open(env: ModelsOptions['env'], options: Partial<ModelsOptions> = {}, model = 'my-gpt') {
  return await openModel(`azure/${model}`, { env, fetch: routedFetch({}), ...options });
}

async function startAzure() {
  const server = await startModelServer(() => ({ kind: 'raw', status: 200, body: COMPLETION }));
  return { server, hosts: { 'octo.openai.azure.com': server.url } };
}

async function startEntra(status = 200, body: unknown = { access_token: 'entra-token', expires_in: 3599 }) {
  return await startLoopback((_, response) => sendJson(response, status, body));
}

describe('Azure with a key', () => {
  it.each([
    ['a resource', { AZURE_RESOURCE_NAME: 'octo' }],
    ["OpenAI's own variable", { AZURE_OPENAI_ENDPOINT: 'https://octo.openai.azure.com/' }],
    ['an address with its path', { AXE_AZURE_BASE_URL: 'https://octo.openai.azure.com/openai' }],
    ['an address with its version', { AXE_AZURE_BASE_URL: 'https://octo.openai.azure.com/openai/v1/' }],
  ])('is called at the v1 interface of %s, with the key in its own header', async (_, env) => {
    const { server, hosts } = await startAzure();
    const model = await open({ AZURE_OPENAI_API_KEY: ' azure-key ', ...env }, { fetch: routedFetch(hosts) });
    expect((await model.doGenerate(question())).content).toMatchObject([{ text: 'Hi' }]);
    const [request] = server.requests();
    expect(request).toMatchObject({
      path: '/openai/v1/chat/completions',
      headers: { 'api-key': 'azure-key' },
      body: { model: 'my-gpt' },
    });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it('uses the key of the input, and accepts the shorter name of the variable', async () => {
    const { server, hosts } = await startAzure();
    const env = { AZURE_RESOURCE_NAME: 'octo', AZURE_API_KEY: 'short' };
    await (await open(env, { fetch: routedFetch(hosts) })).doGenerate(question());
    await (await open(env, { fetch: routedFetch(hosts), apiKey: 'input' })).doGenerate(question());
    expect(server.requests().map(({ headers }) => headers['api-key'])).toEqual(['short', 'input']);
  });

  it.each([
    ['my-deploy', false],
    ['gpt-4.1', false],
    ['gpt-5', true],
    ['o3', true],
  ])('limits %s with one parameter alone', async (model, thinks) => {
    const { server, hosts } = await startAzure();
    const asked = question({ maxOutputTokens: 77 });
    await (await open(KEYED, { fetch: routedFetch(hosts) }, model)).doGenerate(asked);
    expect(server.requests()[0]?.body).toEqual({
      model,
      max_completion_tokens: 77,
      ...(thinks ? { stream: true, stream_options: { include_usage: true } } : {}),
      messages: [
        { role: expect.stringMatching(/^(?:system|developer)$/), content: 'Be brief.' },
        { role: 'user', content: 'Say hi.' },
      ],
    });
  });

  it.each<[string, ModelsOptions['env'], string]>([
    [
      'without an address',
      { AZURE_OPENAI_API_KEY: 'k' },
      'the address of provider "azure" is not configured (set AZURE_RESOURCE_NAME)',
    ],
    [
      'with a name that would be another host',
      { ...KEYED, AZURE_RESOURCE_NAME: 'evil.example/#' },
      '`AZURE_RESOURCE_NAME` is not the name of a resource',
    ],
    [
      'with an address that holds a password',
      { ...KEYED, AXE_AZURE_BASE_URL: 'https://a:b@h' },
      'invalid base URL for provider "azure"',
    ],
    [
      'without credentials',
      { AZURE_RESOURCE_NAME: 'octo' },
      'credentials for provider "azure" are not configured (set AZURE_OPENAI_API_KEY, or AZURE_CLIENT_ID and AZURE_TENANT_ID)',
    ],
  ])('is not opened %s', async (_, env, message) => {
    await expect(open(env)).rejects.toMatchObject({ exitCode: 2, message });
  });
});

describe('Azure with Microsoft Entra', () => {
  it('exchanges the workflow’s identity token for an access token, once, and sends it', async () => {
    const { server, hosts } = await startAzure();
    const entra = await startEntra();
    const { audiences, ...counted } = countedIdToken();
    const fetch = routedFetch({ ...hosts, 'login.microsoftonline.com': entra.url });
    const model = await open({ ...APPLICATION, AZURE_RESOURCE_NAME: 'octo' }, { fetch, ...counted });
    await model.doGenerate(question());
    await model.doGenerate(question());
    expect(audiences).toEqual(['api://AzureADTokenExchange']);
    expect(entra.requests()).toHaveLength(1);
    expect(entra.requests()[0]?.path).toBe('/octo-tenant/oauth2/v2.0/token');
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

  it('is not called if there is a token already', async () => {
    const { server, hosts } = await startAzure();
    const env = { AZURE_RESOURCE_NAME: 'octo', AZURE_OPENAI_AD_TOKEN: 'ready-token' };
    await (await open(env, { fetch: routedFetch(hosts) })).doGenerate(question());
    expect(server.requests()[0]?.headers['authorization']).toBe('Bearer ready-token');
  });

  it.each([
    [
      400,
      { error: 'invalid_request', error_description: `AADSTS70021: no match for ${STATEMENT}` },
      'auth: Microsoft Entra gave no credentials: AADSTS70021: no match for ***',
    ],
    [401, { error: 'invalid_client' }, 'auth: Microsoft Entra gave no credentials: invalid_client'],
    [429, {}, 'rate_limit: Microsoft Entra gave no credentials: HTTP status 429'],
    [200, { token: 'x' }, 'server: Microsoft Entra: `access_token` is missing'],
  ])('reports why it gave no token: %i %j', async (status, body, message) => {
    const { server, hosts } = await startAzure();
    const entra = await startEntra(status, body);
    const fetch = routedFetch({ ...hosts, 'login.microsoftonline.com': entra.url });
    const model = await open({ ...APPLICATION, AZURE_RESOURCE_NAME: 'octo' }, { fetch, idToken });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ message });
    expect(server.requests()).toEqual([]);
  });
});

it('long descriptions of tools, which Azure refuses, are cut', async () => {
  const { server, hosts } = await startAzure();
  const model = await open(KEYED, { fetch: routedFetch(hosts) });
  const tool = { type: 'function', name: 'look', description: 'd'.repeat(4000), inputSchema: {} } as const;
  await model.doGenerate(question({ tools: [tool] }));
  const lengths = server.requests().map(({ body }) => JSON.stringify(body).match(/d{900,}/)?.[0].length);
  expect(lengths).toEqual([1023]);
});
