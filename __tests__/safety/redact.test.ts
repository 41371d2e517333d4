import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findSecret, hideInBytes, hideValues, MASK, redact } from '../../src/safety/redact.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const letters = (length: number) =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
const base64url = (bytes: number) => randomBytes(bytes).toString('base64url');

/** The kinds of secrets that jobs have, made up anew in each run. */
const KINDS: Readonly<Record<string, () => string>> = {
  "a provider's key": () => `sk-ant-api03-${base64url(24)}`,
  'a JSON web token': () => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${base64url(32)}`,
  'the address of a webhook': () => `https://hooks.example.com/services/T01/B01/${letters(24)}`,
  'hexadecimal digits': () => randomBytes(20).toString('hex'),
  'the address of a database': () => `postgres://app:${letters(16)}@db.example.com/prod`,
  'a passphrase': () => `open sesame: "?>~ÿ¿þ" ${randomUUID()} <weiss> & *more*`,
};

const json = (text: string) => JSON.stringify(text).slice(1, -1);

/** The forms that honest programs write. */
const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in JSON': json,
  'in JSON within JSON': (secret) => json(json(secret)),
  'in HTML': (secret) =>
    secret.replace(
      /[&<>"]/g,
      (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt' }[sign] ?? 'quot'};`,
    ),
  'in Markdown': (secret) => secret.replace(/[*_]/g, '\\$&'),
  'percent-encoded': (secret) => encodeURIComponent(secret),
  'percent-encoded in small letters': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'in hexadecimal digits': (secret) => Buffer.from(secret).toString('hex'),
  'in large hexadecimal digits': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  'in base64 for addresses': (secret) => Buffer.from(secret).toString('base64url'),
};

describe('hiding values', () => {
  it.each(Object.entries(FORMS))('C6 83: hides each kind of secret %s', (_, write) => {
    for (const make of Object.values(KINDS)) {
      const secret = make();
      const hidden = hideValues(`before|${write(secret)}|after`, [secret]);
      // The last character of base64 depends on what follows.
      expect(hidden).toMatch(/^before\|\*{3}.?\|after$/);
    }
  });

  it('finds base64 of a secret at every alignment between any neighbours', () => {
    const bytes = fc.uint8Array({ maxLength: 12 });
    const secret = 'kX9-canary_7fQ2zLw8';
    fc.assert(
      fc.property(bytes, bytes, fc.boolean(), (before, after, isUrl) => {
        const whole = Buffer.concat([before, Buffer.from(secret), after]);
        const encoded = whole.toString(isUrl ? 'base64url' : 'base64');
        expect(hideValues(encoded, [secret])).toContain(MASK);
      }),
    );
  });

  it('changes no text without a whole form, whatever else of a secret it holds', () => {
    const writers = fc.constantFrom(...Object.values(FORMS));
    const makers = fc.constantFrom(...Object.values(KINDS));
    const part = fc.record({ from: fc.nat(1000), to: fc.nat(1000), write: writers });
    fc.assert(
      fc.property(makers, fc.array(part, { maxLength: 5 }), fc.string(), (make, parts, between) => {
        const secret = make();
        const text = parts
          .map(({ from, to, write }) =>
            write(secret.slice(from % secret.length, to % secret.length)),
          )
          .join(`${between} `);
        fc.pre(Object.values(FORMS).every((write) => !text.includes(write(secret).slice(4, -4))));
        expect(hideValues(text, [secret])).toBe(text);
      }),
    );
  });

  it.each(Object.entries(KINDS))(
    'changes no part of %s up to two characters short of the whole',
    (_, make) => {
      const secret = make();
      for (let from = 0; from < secret.length; from += 1) {
        for (let to = from + 1; to <= secret.length; to += 1) {
          if (to - from > secret.length - 2) continue;
          const part = secret.slice(from, to);
          for (const write of [...Object.values(FORMS), (text: string) => text.toUpperCase()]) {
            const text = `<${write(part)}>`;
            if (hideValues(text, [secret]) !== text) throw new Error(`${from} to ${to}: ${text}`);
          }
        }
      }
    },
  );

  it('hides the longest of several secrets that begin alike', () => {
    expect(hideValues('abcdef abc', ['abc', 'abcdef'])).toBe('*** ***');
  });

  it('leaves each line of a text its number', () => {
    const secret = '{\n  "id": "0123456789abcdef",\n\n}';
    expect(hideValues(`a\n${secret}\nb`, [secret])).toBe('a\n***\n***\n\n***\nb');
  });

  it('knows the secrets that were added to the list since', () => {
    const secrets = ['first-secret'];
    expect(hideValues('first-secret second-secret', secrets)).toBe('*** second-secret');
    secrets.push('second-secret');
    expect(hideValues('first-secret second-secret', secrets)).toBe('*** ***');
  });

  it('leaves all other bytes of a file as they are', () => {
    const before = [0x63, 0x61, 0x66, 0xe9, 0x0a];
    const file = Uint8Array.from([...before, ...Buffer.from('schlüssel-é'), 0xff]);
    expect([...hideInBytes(file, ['schlüssel-é'])]).toEqual([...before, 0x2a, 0x2a, 0x2a, 0xff]);
    const binary = Uint8Array.from([0, ...Buffer.from('schlüssel-é')]);
    expect(hideInBytes(binary, ['schlüssel-é'])).toBe(binary);
  });

  it('C4 67: hides a key that a reply or a header echoes', () => {
    const text = '{"error":"bad key kX9-canary","headers":{"x-api-key":"kX9-canary"}}';
    expect(redact(text, ['kX9-canary'])).toBe(
      '{"error":"bad key ***","headers":{"x-api-key":"***"}}',
    );
  });

  it('is fast for mebibytes made to slow it down', () => {
    const secrets = Object.values(KINDS).map((make) => make());
    const shapes = [
      'authorization: basic ',
      'eC1hY2Nlc3MtdG9rZW46',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'eyJaaaaaaaaaaa.',
      'sk-',
      'aws_secret_key=',
    ];
    for (const unit of [...shapes, ...secrets.map((secret) => secret.slice(0, -1)), '*', 'aB3']) {
      const text = unit.repeat(Math.ceil(1_048_576 / unit.length));
      expect(redact(text, secrets).length).toBeGreaterThan(0);
    }
  });
});

describe('finding a secret', () => {
  const [first, second] = ['kX9-canary_7fQ2zLw8', 'sk-ant-api03-Zq7'];

  it.each(Object.entries(FORMS))('names the one that a value holds %s', (_, write) => {
    expect(findSecret({ a: ['x', { b: `<${write(second)}>` }] }, [first, second])).toBe(second);
  });

  it('finds it in the name of a member, and at any depth', () => {
    let deep: unknown = first;
    for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];
    expect(findSecret(deep, [first])).toBe(first);
    expect(findSecret({ [first]: 1 }, [first])).toBe(first);
  });

  it('finds no part of one, and none in two texts', () => {
    expect(
      findSecret([first.slice(1), first.slice(0, 9), first.slice(9)], [first]),
    ).toBeUndefined();
  });
});

/** Put together here, so that no scanner reports this file as a leak. */
const TOKENS: readonly (readonly [string, string])[] = [
  ['GitHub classic', `ghp_${'aB3'.repeat(12)}`],
  ['GitHub installation', `ghs_${'aB3'.repeat(12)}`],
  [
    'GitHub installation in its long form',
    `ghs_${'1'.repeat(20)}.eyJhbGciOi.abcdefgh12.abcdefgh12`,
  ],
  ['GitHub user', `ghu_${'aB3'.repeat(12)}`],
  ['GitHub OAuth', `gho_${'aB3'.repeat(12)}`],
  ['GitHub fine-grained', `github_pat_${'a1'.repeat(11)}_${'bC'.repeat(29)}`],
  ['Anthropic', `sk-ant-api03-${'x_Y-9'.repeat(10)}`],
  ['OpenAI project', `sk-proj-${'x_Y-9'.repeat(10)}`],
  ['OpenAI', `sk-${'aB3d'.repeat(12)}`],
  ['AWS key id', `AKIA${'ABCD2345'.repeat(2)}`],
  ['AWS temporary key id', `ASIA${'ABCD2345'.repeat(2)}`],
  ['Slack', `xoxb-${'1234567890-'.repeat(3)}abc`],
  ['Google', `AIza${'aB3_-'.repeat(7)}`],
  ['npm', `npm_${'aB3'.repeat(12)}`],
  ['JSON web token', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`],
];

describe('redact with well-known shapes', () => {
  it.each(TOKENS)('hides a token of the kind %s', (_, token) => {
    expect(redact(`key="${token}";`, [])).toBe('key="***";');
  });

  it('hides the value of an AWS secret key and leaves its name', () => {
    expect(redact(`aws_secret_access_key = ${'aB/+'.repeat(10)}`, [])).toBe(
      'aws_secret_access_key = ***',
    );
  });

  it('hides private keys, also in a diff and also without an end', () => {
    const body = `${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(2)}\n+${'AQEFAASCBKcwggSjAgEAAoIB'.repeat(2)}`;
    const kind = 'RSA PRIVATE KEY';
    expect(redact(`a\n+-----BEGIN ${kind}-----\n+${body}\n+-----END ${kind}-----\nb`, [])).toBe(
      'a\n+***\nb',
    );
    expect(redact(`a -----BEGIN ${kind}-----\n+${body}\nThe end of it.`, [])).toBe(
      'a ***\nThe end of it.',
    );
  });

  it('leaves ordinary words of similar form', () => {
    const text =
      'task-proj-x risk-free sk-button--primary AKIA ghp_short npm_config_registry eyJ.eyJ.x';
    expect(redact(text, [])).toBe(text);
  });

  it('hides what actions/checkout leaves in `.git/config`', () => {
    const basic = Buffer.from('x-access-token:v1.opaque-token0').toString('base64');
    const config = (value: string) =>
      `[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic ${value}\n`;
    expect(redact(config(basic), [])).toBe(config('***'));
    expect(redact(`a ${basic} b`, [])).toBe('a *** b');
    expect(redact(JSON.stringify({ authorization: 'Bearer aB3.dE4_fG5-hI67' }), [])).toBe(
      '{"authorization":"Bearer ***"}',
    );
    const words =
      'Authorization: Basic authentication is off. Authorization: Bearer ${TOKEN_NUMBER_1}';
    expect(redact(words, [])).toBe(words);
  });
});
