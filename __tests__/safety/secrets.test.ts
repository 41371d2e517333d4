import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  createSecrets,
  findTokens,
  guessBits,
  isHardToGuess,
  secretValues,
} from '../../src/safety/secrets.js';

const STRONG = 'q7Zk2Pv9Xw4Lm8Rt3Ns6';
const OTHER = 'hT4mB8vK2cQ9wE6yR1uJ';

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
    expect(secretValues({ [name]: STRONG })).toEqual([STRONG]);
  });

  it.each(
    `PATH HOME API_KEY_FILE KUBECONFIG CREDIT_LIMIT WEBHOOK_PORT TOKENIZER INPUT_MAX-TOKENS SECRETARY
    AUTHOR AUTHORS AUTHOR_NAME GIT_AUTHOR_NAME SSH_AUTH_SOCK XAUTHORITY PWD OLDPWD PATCH KEYBOARD
    MONKEY ACTIONS_ID_TOKEN_REQUEST_URL INPUT_PROMPT GPG_KEY`.split(/\s+/),
  )('are not those of names such as %s', (name) => {
    expect(secretValues({ [name]: STRONG })).toEqual([]);
  });

  it('are trimmed, each once, the longest first, so that none hides part of another', () => {
    const env = {
      A_TOKEN: STRONG,
      B_TOKEN: ` ${STRONG}def\n`,
      C_TOKEN: STRONG,
      D_TOKEN: '',
      E_TOKEN: ' ',
      F_TOKEN: undefined,
    };
    expect(secretValues(env)).toEqual([`${STRONG}def`, STRONG]);
    expect(createSecrets(env).guessedNames).toEqual([]);
  });

  it.each([
    [`postgres://app:${STRONG}%40@db:5432/app`, [`${STRONG}%40`, `${STRONG}@`]],
    [`http://user:${STRONG}@proxy:8080`, [STRONG]],
    ['https://ghs_q7Zk2Pv9Xw4Lm8Rt3Ns6@github.com/o/r', ['ghs_q7Zk2Pv9Xw4Lm8Rt3Ns6']],
    [`redis://:${STRONG}@cache`, [STRONG]],
    [`ann:${STRONG}%zz@host:3128`, [`${STRONG}%zz`]],
    [`postgres://app:${STRONG}@db/app?x=y@z`, [STRONG]],
    ['postgres://postgres:postgres@localhost:5432/test', []],
    ['https://github.com/o/r', []],
    ['git@github.com:octocat/hello.git', []],
    ['https://host/path:with@sign', []],
    ['mail me@example.com', []],
    [`https://user:${STRONG} word@host`, []],
  ])('are the passwords in addresses, whatever the name: %s', (value, expected) => {
    expect([...secretValues({ UPSTREAM: value })].sort()).toEqual([...expected].sort());
  });

  it('include the lines of a key, except those that every key has', () => {
    const key = '-----BEGIN KEY-----\ntW4kLm8Rs3Nd6Bq1\noX7k2Pv9Xw4Lm8Rt\nshort\n-----END KEY-----';
    expect(secretValues({ APP_PRIVATE_KEY: key })).toEqual([
      key,
      'tW4kLm8Rs3Nd6Bq1',
      'oX7k2Pv9Xw4Lm8Rt',
    ]);
  });

  it('include the secret fields of a JSON document', () => {
    const account = {
      type: 'account',
      private_key: 'tW4kLm8Rs3Nd6Bq1\noX7k2Pv9Xw4Lm8Rt',
      email: 'a@b.c',
    };
    const text = JSON.stringify(account);
    expect(secretValues({ GCP_CREDENTIALS: text })).toEqual([
      text,
      'tW4kLm8Rs3Nd6Bq1\noX7k2Pv9Xw4Lm8Rt',
      'tW4kLm8Rs3Nd6Bq1',
      'oX7k2Pv9Xw4Lm8Rt',
    ]);
    const broken = `{ ${STRONG}`;
    expect(secretValues({ GCP_CREDENTIALS: broken })).toEqual([broken]);
  });

  it('can be added with the names of their variables while others hold the list', () => {
    const secrets = createSecrets({ A_TOKEN: STRONG });
    const held = secrets.values;
    secrets.add([
      { name: 'NEW', value: ` ${OTHER}\n` },
      { name: 'BLANK', value: ' ' },
      { name: 'AGAIN', value: STRONG },
      { name: 'EMPTY', value: '' },
    ]);
    expect(held).toEqual([STRONG, OTHER]);
    expect(held.map(secrets.nameOf)).toEqual(['A_TOKEN', 'NEW']);
  });

  it('are none that is easily guessed, in the environment and among those that are added', () => {
    const env = {
      DB_PASSWORD: 'password',
      SORT_KEY: 'created_at',
      EMPTY_TOKEN: ' ',
      HTTPS_PROXY: 'http://ann:summer@proxy:3128',
      API_KEY: STRONG,
      CODENAME: 'blue falcon',
    };
    const secrets = createSecrets(env, ['codename']);
    secrets.add([{ name: 'USER', value: 'runner' }]);
    expect(secrets.values).toEqual([STRONG]);
    expect(secrets.guessedNames).toEqual(['DB_PASSWORD', 'SORT_KEY', 'HTTPS_PROXY', 'CODENAME']);
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

describe('guessing a value', () => {
  // Put together here, so that no scanner reports this file as a leak.
  const made = (...parts: readonly string[]) => parts.join('');

  it.each<[string, boolean]>([
    ['', false],
    ['password', false],
    ['postgres', false],
    ['user.password', false],
    ['created_at', false],
    ['hunter2', false],
    ['keyboard cat', false],
    ['test-secret-key', false],
    ['v1-dependencies', false],
    ['supersecretpassword1', false],
    ['changeme', false],
    ['Summer2024!Berlin', false],
    ['1234', false],
    ['0123456789'.repeat(4), false],
    ['abcdefghijklmnop', false],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', false],
    ['abc-abc-abc-abc-abc-abc', false],
    ['postgres://postgres:postgres@localhost:5432/test', false],
    ['https://accounts.example.com/o/oauth2/auth', false],
    ['Server=db.example.com;Database=app;User Id=sa;Password=Summer2024!;Encrypt=true', false],
    ['host=db user=sa password=abc123 dbname=app', false],
    [made('AKIA', 'IOSFODNN7EXAMPLE'), false],
    [made('ghp_', 'x'.repeat(36)), false],
    ['q7Zk2Pv9Xw4L', true],
    ['correct horse battery staple orbit', true],
    ['3f2a9c41d07be586', true],
    ['d9428888-122b-11e1-b85c-61cd3cbb3210', true],
    ['k3Jh8Gf2Ld9Sa7Qw==', true],
    ['postgres://app:kJ8mQ2vL9xZ4wTbN@db.example.com/prod', true],
    ['Server=db;User Id=sa;Password=kJ8#mQ2$vL9xZ4wT;', true],
    ['https://9c1185a5c5e9fc54612808977ee8f548@o123.ingest.example.com/456', true],
    ['-----BEGIN KEY-----\ntW4kLm8Rs3Nd6Bq1hkiG9w0B\n-----END KEY-----', true],
  ])('of %s: it is hard to guess: %s', (value, isHard) => {
    expect(isHardToGuess(value)).toBe(isHard);
  });

  it.each<[string, number]>([
    ['', 0],
    ['word', 12],
    ['word word', 16],
    ['extraordinarily', 17],
    ['xq', 10.4],
    ['7', 4.3],
    ['2024', 11],
    ['aaaa', 7],
    ['4321', 11],
    ['1234', 7],
    ['-', 3],
    ['---', 5],
  ])('%s takes 2^%d guesses by estimate', (value, bits) => {
    expect(guessBits(value)).toBeCloseTo(bits);
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
