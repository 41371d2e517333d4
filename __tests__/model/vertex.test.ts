import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ModelsOptions } from '../../src/model/create.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { startModelServer } from '../helpers/model-server.js';
import { countedIdToken, formIn, idToken, routedFetch, STATEMENT } from './cloud.js';
import { question } from './contract.js';
import { claude, gemini, openModel } from './open-model.js';

const PROJECT = { GOOGLE_CLOUD_PROJECT: 'octo-project' };
const TOKEN = { CLOUDSDK_AUTH_ACCESS_TOKEN: 'ya29.octo' };
const POOL = 'projects/1/locations/global/workloadIdentityPools/octo/providers/github';

const FILE = { ...PROJECT, GOOGLE_APPLICATION_CREDENTIALS: '/creds.json' };

async function open(model: string, env: ModelsOptions['env'], options: Partial<ModelsOptions> = {}) {
  return await openModel(`vertex/${model}`, { env, fetch: routedFetch({}), ...options });
}

/** Vertex under its global address, and what leads there. */
async function startVertex() {
  const server = await startModelServer(({ path }) => ({
    kind: 'raw',
    status: 200,
    body: path.includes('rawPredict')
      ? claude('end_turn', [{ type: 'text', text: 'Hi' }])
      : gemini('STOP', [{ text: 'Hi' }]),
  }));
  return { server, hosts: { 'aiplatform.googleapis.com': server.url } };
}

/** Google's token servers: each answers what its path asks for. */
async function startGoogle() {
  return await startLoopback(({ path }, response) => {
    if (path.endsWith(':generateAccessToken')) {
      return sendJson(response, 200, { accessToken: 'account-token', expireTime: '2099-01-01T00:00:00Z' });
    }
    return sendJson(response, 200, { access_token: 'google-token', expires_in: 3599 });
  });
}

describe('Vertex AI', () => {
  it.each([
    ['global', 'aiplatform.googleapis.com'],
    ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ])('in %s is called at %s, with a token and without a key', async (location, host) => {
    const { server } = await startVertex();
    const env = { ...PROJECT, ...TOKEN, GOOGLE_CLOUD_LOCATION: location };
    const model = await open('gemini-3.5-flash', env, { fetch: routedFetch({ [host]: server.url }) });
    expect((await model.doGenerate(question())).content).toMatchObject([{ text: 'Hi' }]);
    const [request] = server.requests();
    expect(request?.path).toBe(
      `/v1beta1/projects/octo-project/locations/${location}/publishers/google/models/gemini-3.5-flash:streamGenerateContent`,
    );
    expect(request?.headers).toMatchObject({ authorization: 'Bearer ya29.octo' });
    expect(request?.headers).not.toHaveProperty('x-goog-api-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  it('offers Claude, with the model in the address and the version in the body', async () => {
    const { server, hosts } = await startVertex();
    const fetch = routedFetch(hosts);
    const model = await open('claude-sonnet-4-5@20250929', { ...PROJECT, ...TOKEN }, { fetch });
    expect((await model.doGenerate(question())).content).toMatchObject([{ text: 'Hi' }]);
    const [request] = server.requests();
    expect(decodeURIComponent(request?.path ?? '')).toBe(
      '/v1/projects/octo-project/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict',
    );
    expect(request?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 4096 });
    expect(request?.body).not.toHaveProperty('model');
    expect(request?.headers).toMatchObject({ authorization: 'Bearer ya29.octo' });
    expect(request?.headers).not.toHaveProperty('x-api-key');
  });

  it('accepts a key without a project, in a header', async () => {
    const { server, hosts } = await startVertex();
    const fetch = routedFetch(hosts);
    const model = await open('gemini-3.5-flash', { GOOGLE_VERTEX_API_KEY: 'express-key' }, { fetch });
    await model.doGenerate(question());
    const [request] = server.requests();
    expect(request?.path).toBe('/v1/publishers/google/models/gemini-3.5-flash:streamGenerateContent');
    expect(request?.headers['x-goog-api-key']).toBe('express-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  it.each<[string, string, ModelsOptions['env'], number, string]>([
    [
      'Claude with a key',
      'claude-x',
      { GOOGLE_VERTEX_API_KEY: 'k' },
      3,
      '`claude-x` on Vertex cannot be used with a key, only Gemini can',
    ],
    [
      'no project',
      'gemini-x',
      TOKEN,
      2,
      'the project of provider "vertex" is not configured (set GOOGLE_CLOUD_PROJECT)',
    ],
    [
      'a region that would be another host',
      'gemini-x',
      { ...PROJECT, ...TOKEN, GOOGLE_CLOUD_LOCATION: 'evil.example/' },
      2,
      '`GOOGLE_CLOUD_LOCATION` is not the name of a region',
    ],
    [
      'no credentials',
      'gemini-x',
      { ...PROJECT, HOME: '/home/octocat' },
      2,
      'credentials for provider "vertex" are not configured (set GOOGLE_WORKLOAD_IDENTITY_PROVIDER or GOOGLE_VERTEX_API_KEY)',
    ],
    ['no credential file', 'gemini-x', FILE, 3, 'auth: the credential file `/creds.json` cannot be read'],
  ])('is not opened with %s', async (_, model, env, exitCode, message) => {
    const readTextFile = async () => undefined;
    await expect(open(model, env, { readTextFile })).rejects.toMatchObject({ exitCode, message });
  });
});

describe('workload identity', () => {
  const ACCOUNT = 'octo@octo-project.iam.gserviceaccount.com';
  const external = {
    type: 'external_account',
    audience: `//iam.googleapis.com/${POOL}`,
    credential_source: { url: `https://github.example/token?audience=https://iam.googleapis.com/${POOL}` },
    service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${ACCOUNT}:generateAccessToken`,
  };

  it.each<[string, ModelsOptions['env']]>([
    ['names', { GOOGLE_WORKLOAD_IDENTITY_PROVIDER: POOL, GOOGLE_SERVICE_ACCOUNT: ACCOUNT }],
    ['the file of `google-github-actions/auth`', { GOOGLE_APPLICATION_CREDENTIALS: '/creds.json' }],
  ])(
    'exchanges the workflow’s identity token, and impersonates the service account: by %s',
    async (_, named) => {
      const { server, hosts } = await startVertex();
      const google = await startGoogle();
      const { audiences, ...counted } = countedIdToken();
      const names = ['sts.googleapis.com', 'iamcredentials.googleapis.com'];
      const fetch = routedFetch({ ...hosts, ...Object.fromEntries(names.map((name) => [name, google.url])) });
      const readTextFile = async () => JSON.stringify(external);
      const model = await open(
        'gemini-3.5-flash',
        { ...PROJECT, ...named },
        { fetch, readTextFile, ...counted },
      );
      await model.doGenerate(question());
      await model.doGenerate(question());
      expect(audiences).toEqual([`https://iam.googleapis.com/${POOL}`]);
      const [exchange, impersonation] = google.requests();
      expect(google.requests()).toHaveLength(2);
      expect(exchange?.path).toBe('/v1/token');
      expect(formIn(exchange)).toEqual({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        audience: `//iam.googleapis.com/${POOL}`,
        scope: 'https://www.googleapis.com/auth/cloud-platform',
        requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        subject_token: STATEMENT,
      });
      expect(impersonation).toMatchObject({
        headers: { authorization: 'Bearer google-token' },
        body: { scope: ['https://www.googleapis.com/auth/cloud-platform'] },
      });
      expect(decodeURIComponent(impersonation?.path ?? '')).toBe(
        `/v1/projects/-/serviceAccounts/${ACCOUNT}:generateAccessToken`,
      );
      for (const { headers } of server.requests()) {
        expect(headers['authorization']).toBe('Bearer account-token');
      }
    },
  );

  it.each([
    [
      'of another type',
      { type: 'authorized_user' },
      'the credential file `/creds.json` is none of a workload identity or a service account',
    ],
    [
      'without a source',
      { type: 'external_account', audience: 'x' },
      'server: the credential file: `url` is missing',
    ],
    [
      'with an invalid key',
      { type: 'service_account', client_email: 'a@b', private_key: 'octo' },
      'auth: the private key of the service account cannot be read',
    ],
  ])('reports the problem of a file %s', async (_, credential, message) => {
    const readTextFile = async () => JSON.stringify(credential);
    const asked = open('gemini-3.5-flash', FILE, { readTextFile }).then((model) =>
      model.doGenerate(question()),
    );
    await expect(asked).rejects.toMatchObject({ message });
  });

  it('reports why Google gave no token, without the identity token', async () => {
    const google = await startLoopback((_, response) =>
      sendJson(response, 400, { error: 'invalid_grant', error_description: `not valid: ${STATEMENT}` }),
    );
    const env = { ...PROJECT, GOOGLE_WORKLOAD_IDENTITY_PROVIDER: POOL };
    const fetch = routedFetch({ 'sts.googleapis.com': google.url });
    const model = await open('gemini-3.5-flash', env, { fetch, idToken });
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: 'auth: Google gave no credentials: not valid: ***',
    });
  });
});

it('the key of a service account signs for itself', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { server, hosts } = await startVertex();
  const google = await startGoogle();
  const credential = {
    type: 'service_account',
    client_email: 'octo@octo-project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const readTextFile = async () => JSON.stringify(credential);
  const fetch = routedFetch({ ...hosts, 'oauth2.googleapis.com': google.url });
  const model = await open('gemini-3.5-flash', FILE, { fetch, readTextFile });
  await model.doGenerate(question());
  const { assertion = '', grant_type } = formIn(google.requests()[0]);
  expect(grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: credential.client_email,
    aud: 'https://oauth2.googleapis.com/token',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
  });
  expect(server.requests()[0]?.headers['authorization']).toBe('Bearer google-token');
});
