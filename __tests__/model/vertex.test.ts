import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ModelsOptions } from '../../src/model/create.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { startModelServer } from '../helpers/model-server.js';
import { countedIdToken, formIn, idToken, routedFetch, STATEMENT } from './cloud.js';
import { question } from './contract.js';
import { claude, completion, gemini, openModel } from './open-model.js';

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
      : path.includes('openapi')
        ? completion({ content: 'Hi' })
        : gemini('STOP', [{ text: 'Hi' }]),
  }));
  return { server, hosts: { 'aiplatform.googleapis.com': server.url } };
}

/** Google's token servers: each answers what its path asks for. */
async function startGoogle() {
  return await startLoopback(({ path }, response) => {
    if (path === '/identity') return sendJson(response, 200, { value: STATEMENT });
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

  it('offers models of other makers', async () => {
    const { server, hosts } = await startVertex();
    const fetch = routedFetch(hosts);
    const model = await open('meta/llama-4-maverick', { ...PROJECT, ...TOKEN }, { fetch });
    expect((await model.doGenerate(question())).content).toMatchObject([{ text: 'Hi' }]);
    expect(server.requests()[0]).toMatchObject({
      path: '/v1/projects/octo-project/locations/global/endpoints/openapi/chat/completions',
      headers: { authorization: 'Bearer ya29.octo' },
      body: { model: 'meta/llama-4-maverick' },
    });
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
      'credentials for provider "vertex" are not configured (set GOOGLE_WORKLOAD_IDENTITY_PROVIDER, GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_VERTEX_API_KEY)',
    ],
    ['no credential file', 'gemini-x', FILE, 3, 'auth: the credential file `/creds.json` cannot be read'],
  ])('is not opened with %s', async (_, model, env, exitCode, message) => {
    const readTextFile = async () => undefined;
    await expect(open(model, env, { readTextFile })).rejects.toMatchObject({ exitCode, message });
  });
});

describe('workload identity', () => {
  it('exchanges the workflow’s identity token, and impersonates the service account', async () => {
    const { server, hosts } = await startVertex();
    const google = await startGoogle();
    const { audiences, ...counted } = countedIdToken();
    const account = 'octo@octo-project.iam.gserviceaccount.com';
    const env = { ...PROJECT, GOOGLE_WORKLOAD_IDENTITY_PROVIDER: POOL, GOOGLE_SERVICE_ACCOUNT: account };
    const names = ['sts.googleapis.com', 'iamcredentials.googleapis.com'];
    const fetch = routedFetch({ ...hosts, ...Object.fromEntries(names.map((name) => [name, google.url])) });
    const model = await open('gemini-3.5-flash', env, { fetch, ...counted });
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
      path: '/v1/projects/-/serviceAccounts/octo%40octo-project.iam.gserviceaccount.com:generateAccessToken',
      headers: { authorization: 'Bearer google-token' },
      body: { scope: ['https://www.googleapis.com/auth/cloud-platform'] },
    });
    for (const { headers } of server.requests()) {
      expect(headers['authorization']).toBe('Bearer account-token');
    }
  });

  it.each([
    ['an address, as of `google-github-actions/auth`', 'url'],
    ['a file', 'file'],
  ])('exchanges the identity token from %s', async (_, source) => {
    const { server, hosts } = await startVertex();
    const google = await startGoogle();
    const credential = {
      type: 'external_account',
      audience: `//iam.googleapis.com/${POOL}`,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${google.url}/v1/token`,
      credential_source:
        source === 'file'
          ? { file: '/run/token' }
          : {
              url: `${google.url}/identity?audience=x`,
              headers: { Authorization: 'Bearer request-token' },
              format: { type: 'json', subject_token_field_name: 'value' },
            },
    };
    const files: Readonly<Record<string, string>> = {
      '/creds.json': JSON.stringify(credential),
      '/run/token': `${STATEMENT}\n`,
    };
    const readTextFile = async (path: string) => files[path];
    const model = await open('gemini-3.5-flash', FILE, { fetch: routedFetch(hosts), readTextFile });
    await model.doGenerate(question());
    const exchange = google.requests().find(({ path }) => path === '/v1/token');
    expect(formIn(exchange)['subject_token']).toBe(STATEMENT);
    if (source === 'url') {
      expect(google.requests()[0]).toMatchObject({
        method: 'GET',
        path: '/identity',
        headers: { authorization: 'Bearer request-token' },
      });
    }
    expect(server.requests()[0]?.headers['authorization']).toBe('Bearer google-token');
  });

  it.each([
    [
      'a program as its source',
      { type: 'external_account', credential_source: { executable: {} } },
      'auth: the credential file has a `credential_source` that is not supported',
    ],
    [
      'another type',
      { type: 'gdch_service_account' },
      'auth: the credential file has the type `gdch_service_account`, which is not supported',
    ],
    [
      'an invalid key',
      { type: 'service_account', client_email: 'a@b', private_key: 'octo' },
      'auth: the private key of the service account cannot be read',
    ],
    [
      'nothing to sign with',
      { type: 'service_account', client_email: 'a@b' },
      'server: the credential file: `private_key` is missing',
    ],
  ])('reports the problem of a file with %s', async (_, credential, message) => {
    const readTextFile = async () => JSON.stringify(credential);
    const model = await open('gemini-3.5-flash', FILE, { readTextFile });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ message });
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

describe('a credential file of Google', () => {
  it('can be the key of a service account, which signs for itself', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { server, hosts } = await startVertex();
    const google = await startGoogle();
    const credential = {
      type: 'service_account',
      client_email: 'octo@octo-project.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'octo-key',
      token_uri: `${google.url}/token`,
    };
    const readTextFile = async () => JSON.stringify(credential);
    const model = await open('gemini-3.5-flash', FILE, { fetch: routedFetch(hosts), readTextFile });
    await model.doGenerate(question());
    const form = formIn(google.requests()[0]);
    expect(form['grant_type']).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = form['assertion']?.split('.') ?? [];
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'octo-key' });
    expect(decoded(claims)).toMatchObject({
      iss: 'octo@octo-project.iam.gserviceaccount.com',
      aud: `${google.url}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(server.requests()[0]?.headers['authorization']).toBe('Bearer google-token');
  });

  it("can be a person's login, in the place where gcloud keeps it", async () => {
    const { server, hosts } = await startVertex();
    const google = await startGoogle();
    const login = { type: 'authorized_user', client_id: 'i', client_secret: 's', refresh_token: 'r' };
    const path = '/home/octocat/.config/gcloud/application_default_credentials.json';
    const fetch = routedFetch({ ...hosts, 'oauth2.googleapis.com': google.url });
    const readTextFile = async (asked: string) => (asked === path ? JSON.stringify(login) : undefined);
    const env = { ...PROJECT, HOME: '/home/octocat' };
    const model = await open('gemini-3.5-flash', env, { fetch, readTextFile });
    await model.doGenerate(question());
    const { type: _, ...sent } = login;
    expect(formIn(google.requests()[0])).toEqual({ grant_type: 'refresh_token', ...sent });
    expect(server.requests()[0]?.headers['authorization']).toBe('Bearer google-token');
  });
});
