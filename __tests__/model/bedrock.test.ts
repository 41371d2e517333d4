import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ModelsOptions } from '../../src/model/create.js';
import { startLoopback } from '../helpers/loopback.js';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { countedIdToken, formIn, idToken, routedFetch, STATEMENT } from './cloud.js';
import { question } from './contract.js';
import { openModel } from './open-model.js';

const HOST = 'bedrock-runtime.eu-central-1.amazonaws.com';
const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAOCTOCAT', AWS_SECRET_ACCESS_KEY: 'octo/secret+key' };
const REGION = { AWS_REGION: 'eu-central-1' };
const ROLE = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/octo' };

async function open(env: ModelsOptions['env'], options: Partial<ModelsOptions> = {}) {
  return await openModel(`bedrock/${CLAUDE}`, { env, fetch: routedFetch({}), ...options });
}

/** AWS STS, which gives the same answer to everybody. */
async function startSts(status = 200, body = credentials('2099-01-01T00:00:00Z')) {
  return await startLoopback((_, response) => {
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
}

function credentials(expiration: string): string {
  return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <Credentials>
      <SessionToken>octo-session-token</SessionToken>
      <SecretAccessKey>octo-role-secret</SecretAccessKey>
      <Expiration>${expiration}</Expiration>
      <AccessKeyId>ASIAOCTOROLE</AccessKeyId>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;
}

function through(server: ModelServer, sts?: { readonly url: string }): typeof globalThis.fetch {
  return routedFetch({ [HOST]: server.url, ...(sts && { 'sts.eu-central-1.amazonaws.com': sts.url }) });
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/;

describe('Bedrock', () => {
  it('is called in its region, with a request signed by the keys of the environment', async () => {
    const server = await startModelServer([text('Hi')]);
    const model = await open({ ...KEYS, ...REGION }, { fetch: through(server) });
    expect((await model.doGenerate(question())).content).toMatchObject([{ text: 'Hi' }]);
    const [request] = server.requests();
    expect(request?.path).toBe(`/model/${encodeURIComponent(CLAUDE)}/converse`);
    expect(SIGNED.exec(request?.headers['authorization'] ?? '')?.[1]).toBe('AKIAOCTOCAT');
    expect(request?.headers['x-amz-date']).toMatch(/^\d{8}T\d{6}Z$/);
    expect(request?.headers).not.toHaveProperty('x-amz-security-token');
    expect(JSON.stringify(request?.headers)).not.toContain('octo/secret+key');
  });

  it('prefers a key of its own to everything else', async () => {
    const server = await startModelServer([text('Hi'), text('Hi')]);
    const env = { ...KEYS, ...REGION, AWS_BEARER_TOKEN_BEDROCK: ' bedrock-key\n' };
    await (await open(env, { fetch: through(server) })).doGenerate(question());
    await (await open(env, { fetch: through(server), apiKey: 'input-key' })).doGenerate(question());
    expect(server.requests().map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer bedrock-key',
      'Bearer input-key',
    ]);
  });

  it('finds its region in the places of AWS and axe', async () => {
    const server = await startModelServer(Array.from({ length: 3 }, () => text('Hi')));
    const region = { bedrock: { apiKey: '', baseUrl: '', region: 'eu-central-1' } };
    const places = [
      [{ AWS_DEFAULT_REGION: 'eu-central-1' }, {}],
      [{ AXE_BEDROCK_REGION: 'eu-central-1' }, {}],
      [{}, { loadConfig: async () => region }],
    ] as const;
    for (const [env, options] of places) {
      await (await open({ ...KEYS, ...env }, { fetch: through(server), ...options })).doGenerate(question());
    }
    expect(server.requests()).toHaveLength(3);
  });

  it.each<[string, ModelsOptions['env'], number, string]>([
    ['without a region', KEYS, 2, 'the region of provider "bedrock" is not configured (set AWS_REGION)'],
    [
      'with a region that would be another host',
      { ...KEYS, AWS_REGION: 'x.evil.example/' },
      2,
      '`AWS_REGION` is not the name of a region',
    ],
    [
      'without credentials',
      REGION,
      2,
      'credentials for provider "bedrock" are not configured (set AWS_ROLE_ARN, AWS_ACCESS_KEY_ID or AWS_BEARER_TOKEN_BEDROCK)',
    ],
    [
      'with a key that no header can carry',
      { ...REGION, AWS_BEARER_TOKEN_BEDROCK: 'octo\nkey' },
      3,
      'the API key for provider "bedrock" cannot be used: it holds a line break or another character that a header cannot carry',
    ],
  ])('is not opened %s', async (_, env, exitCode, message) => {
    await expect(open(env)).rejects.toMatchObject({ exitCode, message });
  });
});

describe('the signature of a request to Bedrock', () => {
  it('equals the one that AWS computes from the body that is sent', async () => {
    const server = await startModelServer([text('Hi')]);
    await (await open({ ...KEYS, ...REGION }, { fetch: through(server) })).doGenerate(question());
    const { headers, bytes } = server.requests()[0] ?? {};
    const authorization = headers?.['authorization'] ?? '';
    const names = /SignedHeaders=([\w;-]+)/.exec(authorization)?.[1]?.split(';') ?? [];
    const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
    const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
    const date = headers?.['x-amz-date'] ?? '';
    const day = date.slice(0, 8);
    const canonical = [
      'POST',
      `/model/${encodeURIComponent(encodeURIComponent(CLAUDE))}/converse`,
      '',
      ...names.map((name) => `${name}:${name === 'host' ? HOST : (headers?.[name] ?? '')}`),
      '',
      names.join(';'),
      sha256(bytes ?? ''),
    ].join('\n');
    const scope = `${day}/eu-central-1/bedrock/aws4_request`;
    const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
    const key = [day, 'eu-central-1', 'bedrock', 'aws4_request'].reduce<string | Buffer>(
      (secret, part) => hmac(secret, part),
      `AWS4${KEYS.AWS_SECRET_ACCESS_KEY}`,
    );
    expect(authorization).toMatch(new RegExp(`Signature=${hmac(key, toSign).toString('hex')}$`));
  });
});

describe('a role by web identity', () => {
  it('is assumed once with the token of the workflow, and signs the requests', async () => {
    const server = await startModelServer([text('Hi'), text('Hi again')]);
    const sts = await startSts();
    const { audiences, ...counted } = countedIdToken();
    const model = await open({ ...ROLE, ...REGION }, { fetch: through(server, sts), ...counted });
    await model.doGenerate(question());
    await model.doGenerate(question());
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

  it('is assumed with the token in a file', async () => {
    const server = await startModelServer([text('Hi')]);
    const sts = await startSts();
    const env = { ...ROLE, ...REGION, AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' };
    const readTextFile = async (path: string) => (path === '/run/token' ? `${STATEMENT}\n` : undefined);
    await (await open(env, { fetch: through(server, sts), readTextFile })).doGenerate(question());
    expect(formIn(sts.requests()[0])).toMatchObject({ WebIdentityToken: STATEMENT });
  });

  it.each([
    [
      'AWS refuses',
      403,
      `<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not authorized: ${STATEMENT}</Message></Error></ErrorResponse>`,
      'auth: AWS STS gave no credentials: Not authorized: ***',
    ],
    ['AWS is down', 503, 'nope', 'server: AWS STS gave no credentials: HTTP status 503'],
    ['the answer lacks a key', 200, '<X/>', 'server: AWS STS: `AccessKeyId` is missing in the answer'],
  ])('fails with the reason if %s', async (_, status, body, message) => {
    const server = await startModelServer([]);
    const sts = await startSts(status, body);
    const fetch = through(server, sts);
    const model = await open({ ...ROLE, ...REGION }, { fetch, idToken });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ name: 'ProviderError', message });
    expect(server.requests()).toEqual([]);
  });

  it.each([
    [
      'there is no workflow',
      {},
      'auth: there is no identity token: this is not a job of a workflow',
      'use a key',
    ],
    [
      'the job cannot ask for one',
      { idToken: () => Promise.reject(new Error('ACTIONS_ID_TOKEN_REQUEST_URL is not set')) },
      'auth: GitHub gave no identity token: ACTIONS_ID_TOKEN_REQUEST_URL is not set',
      'id-token: write',
    ],
  ])('reports what is missing if %s', async (_, options, message, remedy) => {
    const model = await open({ ...ROLE, ...REGION }, options);
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message,
      exitCode: 3,
      remedy: expect.stringContaining(remedy),
    });
  });

  it('never follows a redirect of AWS', async () => {
    const other = await startSts();
    const sts = await startLoopback((_, response) => {
      response.writeHead(307, { location: other.url }).end();
    });
    const server = await startModelServer([]);
    const model = await open({ ...ROLE, ...REGION }, { fetch: through(server, sts), idToken });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ category: 'server', status: 307 });
    expect(other.requests()).toEqual([]);
  });
});
