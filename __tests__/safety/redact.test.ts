import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holdsSecret, MASK, MIN_SECRET_LENGTH, redact } from '../../src/safety/redact.js';

const CANARY = 'kX9-canary_7fQ2zLw8';

const ENCODERS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'upper case': (secret) => secret.toUpperCase(),
  reversed: (secret) => Array.from(secret).reverse().join(''),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 behind one byte': (secret) => Buffer.from(`a${secret}zz`).toString('base64'),
  'base64 behind two bytes': (secret) => Buffer.from(`ab${secret}z`).toString('base64'),
  'base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'hex with spaces': (secret) => (Buffer.from(secret).toString('hex').match(/../g) ?? []).join(' '),
  'percent-encoded': (secret) => encodeURIComponent(secret),
  'percent-encoded throughout': (secret) =>
    Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'spaced out': (secret) => Array.from(secret).join(' '),
  'hyphens between': (secret) => Array.from(secret).join('-'),
  'one character a line': (secret) => Array.from(secret).join('\n'),
  'first seven characters cut off': (secret) => secret.slice(7),
  'broken across lines': (secret) => `${secret.slice(0, 9)}\n${secret.slice(9)}`,
};

describe('redact with registered secrets', () => {
  it.each(Object.entries(ENCODERS))('C6 83: hides a secret that is %s', (_, encode) => {
    const long = `${CANARY}${CANARY.split('').reverse().join('')}`;
    const redacted = redact(`before ${encode(long)} after`, [long]);
    expect(redacted).not.toContain(encode(long));
    expect(redacted).toMatch(/^before .*\*\*\*.* after$/s);
    for (const run of redacted.match(/[A-Za-z0-9]{6,}/g) ?? []) expect(['before']).toContain(run);
  });

  it('C4 67: hides a key that a reply or a header echoes', () => {
    const text = `{"error":"bad key ${CANARY}","headers":{"x-api-key":"${CANARY}"}}`;
    expect(redact(text, [CANARY])).toBe('{"error":"bad key ***","headers":{"x-api-key":"***"}}');
  });

  // Of a secret with spaces no pieces are looked for, so each form has to be found as it is.
  it.each<[string, (secret: string) => string]>([
    ['unchanged', (secret) => secret],
    ['reversed', (secret) => Array.from(secret).reverse().join('')],
    ['in base64 with `+` and `/`', (secret) => Buffer.from(secret).toString('base64')],
    ['in base64 for URLs', (secret) => Buffer.from(secret).toString('base64url')],
    ['in hex', (secret) => Buffer.from(secret).toString('hex')],
    ['in hex of capitals', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
    ['percent-encoded', (secret) => encodeURIComponent(secret)],
    ['percent-encoded in small letters', (secret) => encodeURIComponent(secret).toLowerCase()],
    [
      'percent-encoded throughout',
      (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
    ],
    [
      'in escapes of bytes',
      (secret) => Buffer.from(secret).toString('hex').replace(/../g, '\\x$&'),
    ],
    ['as a form encodes it', (secret) => encodeURIComponent(secret).replaceAll('%20', '+')],
    ['as JSON writes it', (secret) => JSON.stringify(secret).slice(1, -1)],
    ['as HTML writes it', (secret) => secret.replaceAll('<', '&lt;').replaceAll('>', '&gt;')],
  ])('C6 83: hides a passphrase %s', (_, encode) => {
    const passphrase = 'open sesame: "?>~\u00ff\u00bf\u00fe" weiss';
    expect(redact(`before|${encode(passphrase)}|after`, [passphrase])).toMatch(
      /^before\|\*{3}.{0,8}\|after$/,
    );
  });

  it('hides every long line of a multi-line secret, and leaves its short lines', () => {
    const secret = '{\n  "private": "0123456789abcdef",\n  "id": 1\n}';
    expect(redact('x\n  "private": "0123456789abcdef",\n}', [secret])).toBe('x\n  ***\n}');
  });

  it('hides a secret in its JSON form', () => {
    const secret = 'a "quoted"\tsecret';
    expect(redact(JSON.stringify({ secret }), [secret])).toBe('{"secret":"***"}');
  });

  it('leaves JSON that can be read, whatever escape stands before a secret', () => {
    const text = fc.string({
      unit: fc.constantFrom('\n', '\t', '\\', '"', 'n', 'u0041', '\u0001', 'x'),
      maxLength: 8,
    });
    const secret = 'nt1234567890abcdefu';
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 6 }), text, (before, from, after) => {
        const found = redact(
          JSON.stringify({ [before]: `${before}${secret.slice(from)}${after}` }),
          [secret],
        );
        expect(JSON.stringify(JSON.parse(found))).not.toContain(secret.slice(from));
      }),
      { examples: [['\u0001', 3, '']] },
    );
  });

  it('does not search for secrets that are short ordinary words', () => {
    expect(redact('main on 8080 is true', ['main', '8080', 'true'])).toBe('main on 8080 is true');
    expect(MIN_SECRET_LENGTH).toBe(6);
  });

  it('searches for short secrets only in their plain form', () => {
    expect(redact('secret1 and se cret1', ['secret1'])).toBe('*** and se cret1');
  });

  it('hides every part of twelve letters and digits of a secret, and leaves shorter ones', () => {
    const secret = 'q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1Fh5Jc0Gy';
    for (let at = 0; at + 12 <= secret.length; at += 1) {
      expect(redact(`<${secret.slice(at, at + 12)}>`, [secret])).toBe('<***>');
      expect(redact(`<${secret.slice(at, at + 11)}>`, [secret])).toBe(
        `<${secret.slice(at, at + 11)}>`,
      );
    }
  });

  it('leaves other links unchanged when a URL is secret', () => {
    const hook = 'https://www.example.com/hooks/T0123456789';
    expect(redact(`https://www.example.org and ${hook}`, [hook])).toBe(
      'https://www.example.org and ***',
    );
  });

  it('leaves a text without secrets unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '.', 'é', '🙂') }),
        (text) => {
          expect(redact(text, [CANARY])).toBe(text);
        },
      ),
    );
  });

  it('hides every secret in any encoding and changes nothing the second time', () => {
    const secret = fc
      .string({
        unit: fc.constantFrom(
          ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=',
        ),
        minLength: 6,
        maxLength: 40,
      })
      .filter((text) => /[A-Za-z0-9]{3}/.test(text));
    const encodings = fc.constantFrom(
      (text: string) => text,
      (text: string) => Array.from(text).reverse().join(''),
      (text: string) => Buffer.from(text).toString('hex'),
      (text: string) => encodeURIComponent(text),
    );
    fc.assert(
      fc.property(secret, encodings, fc.string(), fc.string(), (canary, encode, before, after) => {
        const encoded = encode(canary);
        const redacted = redact(`${before} ${encoded} ${after}`, [canary]);
        expect(redacted).not.toContain(encoded);
        expect(redact(redacted, [canary])).toBe(redacted);
      }),
    );
  });

  it('finds base64 of a secret at every alignment between any neighbours', () => {
    const bytes = fc.uint8Array({ maxLength: 12 });
    fc.assert(
      fc.property(bytes, bytes, fc.boolean(), (before, after, isUrl) => {
        const whole = Buffer.concat([before, Buffer.from(CANARY), after]);
        const encoded = whole.toString(isUrl ? 'base64url' : 'base64');
        const redacted = redact(encoded, [CANARY]);
        expect(redacted).toContain(MASK);
        expect(redacted.length).toBeLessThan(encoded.length - 15);
      }),
    );
  });

  it('is fast for mebibytes made to slow it down', () => {
    const token = Buffer.from(`x-access-token:ghs_${'aB3'.repeat(12)}`).toString('base64');
    const written = [
      '<b',
      '<b></b>',
      '&#67;',
      '\\u0043',
      '\\_',
      'aB3',
      'authorization: basic ',
      token,
    ];
    const shapes = [
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'eyJaaaaaaaaaaa.',
      'sk-',
      'aws_secret_key=',
    ];
    for (const unit of [...written, ...shapes, '*', 'kX9']) {
      const text = unit.repeat(Math.ceil(1_048_576 / unit.length));
      expect(redact(text, [CANARY]).length).toBeGreaterThan(0);
    }
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

  it.each(TOKENS)(
    'hides base64 of a token of the kind %s, behind whatever stands before it',
    (_, token) => {
      for (const before of ['', ':', ': ', 'x-access-token:', '/path/'])
        for (const encoding of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(`${before}${token}\n`).toString(encoding);
          const found = redact(`see "a/${encoded}" there`, []);
          expect(found).toMatch(/^see "[^ ]*\*\*\*[^ ]*" there$/);
          expect(Buffer.from(found, 'base64').toString('latin1')).not.toContain(token.slice(0, 12));
        }
    },
  );

  it('hides what actions/checkout leaves in `.git/config`', () => {
    const basic = Buffer.from('x-access-token:v1.opaque0').toString('base64');
    const config = (value: string) =>
      `[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic ${value}\n`;
    expect(redact(config(basic), [])).toBe(config('***'));
    expect(redact(JSON.stringify({ authorization: 'Bearer aB3.dE4_fG5-hI67' }), [])).toBe(
      '{"authorization":"Bearer ***"}',
    );
    const words =
      'Authorization: Basic authentication is off. Authorization: Bearer ${TOKEN_NUMBER_1}';
    expect(redact(words, [])).toBe(words);
  });
});

describe('redact works on the text as it will be read', () => {
  const token = `ghp_${'aB3'.repeat(12)}`;
  const each = (write: (character: string) => string) => (text: string) =>
    Array.from(text, write).join('');
  const hex = (character: string) => character.charCodeAt(0).toString(16);
  const WRITTEN: readonly (readonly [string, (text: string) => string])[] = [
    ['escapes of JSON', each((one) => `\\u00${hex(one)}`)],
    [
      'an escape of JSON among plain letters',
      (text) => text.replace(/.(?=.{6}$)/, (one) => `\\u00${hex(one).toUpperCase()}`),
    ],
    ['escapes of bytes', each((one) => `\\x${hex(one)}`)],
    ['some escapes of addresses', (text) => text.replace(/[aQ_-]/g, (one) => `%${hex(one)}`)],
    ['decimal entities', each((one) => `&#${one.charCodeAt(0)};`)],
    ['hexadecimal entities', each((one) => `&#x${hex(one)};`)],
    ['entities in escapes of JSON', each((one) => `\\u0026#${one.charCodeAt(0)};`)],
    ['named entities', (text) => text.replaceAll('_', '&lowbar;')],
    ['escapes of Markdown', (text) => text.replaceAll('_', '\\_').replaceAll('-', '\\-')],
    ['tags between', (text) => Array.from(text).join('<b></b>')],
    ['a comment between', (text) => `${text.slice(0, 7)}<!-- x -->${text.slice(7)}`],
    ['invisible characters between', (text) => Array.from(text).join('\u200b')],
  ];

  it.each(WRITTEN)('%s', (_, write) => {
    expect(redact(`a <i>${write(token)}</i> &amp; b`, [])).toBe('a <i>***</i> &amp; b');
    expect(redact(`a <i>${write(CANARY)}</i> &amp; b`, [CANARY])).toBe('a <i>***</i> &amp; b');
    expect(holdsSecret(write(CANARY), [CANARY])).toBe(true);
  });

  it('and keeps the rest as it was written', () => {
    const text =
      'if (a < b && c > d) return "\\u0043\\n"; // &lt;b&gt; <b>x</b> &unknown; \\_ \u200b';
    expect(redact(`${text} ${token} ${text}`, [CANARY])).toBe(`${text} *** ${text}`);
  });
});
