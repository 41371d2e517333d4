import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createSecrets, findTokens, secretValues } from '../../src/safety/secrets.js';

describe('the secret values of an environment', () => {
  it.each(
    `ANTHROPIC_API_KEY MY_OWN_API_KEY GITHUB_TOKEN GH_TOKEN ACTIONS_RUNTIME_TOKEN
    ACTIONS_ID_TOKEN_REQUEST_TOKEN WEBHOOK_SECRET DB_PASSWORD AWS_SECRET_ACCESS_KEY APP_PRIVATE_KEY
    GPG_PASSPHRASE TOKEN API_KEY PASSWORD SECRET npm_token INPUT_API-KEY INPUT_GITHUB-TOKEN
    INPUT_MEMORY-TOKEN INPUT_AGENTS-TOKEN GH_PAT DEPLOY_KEY OPENAI_APIKEY NPMTOKEN DATABASE_URL
    SENTRY_DSN SECRET_KEY_BASE DB_PASS PGPASSWORD MYSQL_PWD AZURE_CREDENTIALS GCP_CREDENTIALS_JSON
    AUTH_HEADER AUTHORIZATION NPM_CONFIG__AUTH AZURE_STORAGE_CONNECTION_STRING SLACK_WEBHOOK_URL
    PASSWORD_STORE_DIR GITHUB_APP_PRIVATE_KEY_B64 SSH_PRIVATE_KEY_PEM OPENAI_API_KEY_2 SLACK_WEBHOOK
    KUBE_CONFIG_DATA APP_CREDS`.split(/\s+/),
  )('are those of names such as %s', (name) => {
    expect(secretValues({ [name]: 'hunter2-hunter2' })).toEqual(['hunter2-hunter2']);
  });

  it.each(
    `PATH HOME API_KEY_FILE KUBECONFIG CREDIT_LIMIT WEBHOOK_PORT TOKENIZER INPUT_MAX-TOKENS SECRETARY
    AUTHOR AUTHORS AUTHOR_NAME GIT_AUTHOR_NAME SSH_AUTH_SOCK XAUTHORITY PWD OLDPWD PATCH KEYBOARD
    MONKEY ACTIONS_ID_TOKEN_REQUEST_URL INPUT_PROMPT`.split(/\s+/),
  )('are not those of names such as %s', (name) => {
    expect(secretValues({ [name]: 'hunter2-hunter2' })).toEqual([]);
  });

  it('are trimmed, each once, the longest first, so that none hides part of another', () => {
    const env = {
      A_TOKEN: 'abc',
      B_TOKEN: ' abcdef\n',
      C_TOKEN: 'abc',
      D_TOKEN: '',
      E_TOKEN: ' ',
      F_TOKEN: undefined,
    };
    expect(secretValues(env)).toEqual(['abcdef', 'abc']);
  });

  it.each([
    ['postgres://app:p%40ss-word@db:5432/app', ['p%40ss-word', 'p@ss-word']],
    ['http://user:hunter2-hunter2@proxy:8080', ['hunter2-hunter2']],
    ['https://ghs_token_of_a_checkout@github.com/o/r', ['ghs_token_of_a_checkout']],
    ['redis://:hunter2-hunter2@cache', ['hunter2-hunter2']],
    ['https://github.com/o/r', []],
    ['mail me@example.com', []],
    ['https://user:pass word@host', []],
  ])('are the passwords in addresses, whatever the name: %s', (value, expected) => {
    expect([...secretValues({ UPSTREAM: value })].sort()).toEqual([...expected].sort());
  });

  it('include the lines of a key, except those that every key has', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\nshort\n-----END KEY-----';
    expect(secretValues({ APP_PRIVATE_KEY: key })).toEqual([
      key,
      'MIIEvQIBADANBgkq',
      'hkiG9w0BAQEFAASC',
    ]);
  });

  it('include the secret fields of a JSON document', () => {
    const account = {
      type: 'account',
      private_key: 'MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC',
      email: 'a@b.c',
    };
    const text = JSON.stringify(account);
    expect(secretValues({ GCP_CREDENTIALS: text })).toEqual([
      text,
      'MIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC',
      'MIIEvQIBADANBgkq',
      'hkiG9w0BAQEFAASC',
    ]);
    expect(secretValues({ GCP_CREDENTIALS: '{ broken-json-value' })).toEqual([
      '{ broken-json-value',
    ]);
  });

  it.each([
    ['http://ann:pass%20word@proxy.example:3128', ['pass%20word', 'pass word']],
    ['ann:pass@proxy:3128', ['pass']],
    ['postgres://app:s3cret@db/app?x=y@z', ['s3cret']],
    ['https://ann:%zz@host', ['%zz']],
    ['https://host/path:with@sign', []],
    ['git@github.com:octocat/hello.git', []],
    ['http://proxy.example:3128', []],
  ])('include passwords in addresses, in written and decoded form: %s', (value, expected) => {
    expect(secretValues({ HTTPS_PROXY: value })).toEqual(expected);
  });

  it('can be added while others hold the list', () => {
    const { values, add } = createSecrets({ A_TOKEN: 'abc' });
    const held = values;
    add(['new', ' ', 'abc', '']);
    expect(held).toEqual(['abc', 'new']);
  });

  it('include each key of a list, and the whole list', () => {
    expect(secretValues({ DEPLOY_KEY: 'the new signing key\r\nthe old one of it\n' })).toEqual([
      'the new signing key\r\nthe old one of it',
      'the new signing key',
      'the old one of it',
    ]);
  });

  it('are none in an empty environment', () => {
    expect(secretValues({})).toEqual([]);
  });
});

const FILE = join(import.meta.dirname, '../fixtures/token-samples.json');
const { tokens }: { tokens: Record<string, string> } = JSON.parse(readFileSync(FILE, 'utf8'));

it.each(Object.entries(tokens))('a token is known by its shape: %s', (_, backwards) => {
  const token = [...backwards].reverse().join('');
  const text = `key = "${token}", and more`;
  const hidden = findTokens(text).map(({ start, end }) => text.slice(start, end));
  // An end that its shape leaves open may stay, as the digits of a checksum.
  expect(hidden.some((part) => part.length > token.length * 0.9)).toBe(true);
});

it.each([
  'pat.ern',
  'SKIPPED',
  'API-VERSION',
  'sha256-abc',
  'do_v1',
  'glance-at',
  'shape_and_size',
  's.length',
])('a word is none: %s', (word) => {
  expect(findTokens(`${word} ${word}_${word}.${word}`)).toEqual([]);
});
