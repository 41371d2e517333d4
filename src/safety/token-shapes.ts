/** A kind of credential that can be told by its looks. */
interface TokenShape {
  /** For people, with its article. */
  readonly name: string;
  /** Global; linear in the length of the text. */
  readonly pattern: RegExp;
}

/** A stretch of a text: from `start` up to, not including, `end`, in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A credential found in a text; what it says is not kept. */
interface FoundToken extends TextSpan {
  readonly name: string;
}

/** Credentials of well-known shape in a text, and in what is base64 in it, in no particular order. */
export function findTokens(text: string): readonly FoundToken[] {
  return [...findPlain(text), ...findEncoded(text)];
}

function findPlain(text: string): readonly FoundToken[] {
  const found: FoundToken[] = [];
  for (const { name, pattern } of TOKEN_SHAPES) {
    for (const match of text.matchAll(pattern)) {
      found.push({ name, start: match.index, end: match.index + match[0].length });
    }
  }
  return [...found, ...findPrivateKeys(text)];
}

/** Long enough for the shortest shape, which has 20 characters; in both alphabets. */
const BASE64 = /[A-Za-z0-9+/_-]{26,}={0,2}/g;

/** What each shape has, and the bytes hardly have that ordinary words come to. */
const READABLE = /[ -~]{20}/;

/** At any of four places base64 may begin, since letters before it look the same. */
function findEncoded(text: string): readonly FoundToken[] {
  const found: FoundToken[] = [];
  for (const { 0: run, index } of text.matchAll(BASE64)) {
    for (let skipped = 0; skipped < 4; skipped += 1) {
      const bytes = decodeBase64(run.slice(skipped));
      if (!READABLE.test(bytes)) continue;
      for (const { name, start, end } of findPlain(bytes)) {
        const at = index + skipped;
        const last = end === bytes.length ? index + run.length : at + Math.ceil((end * 4) / 3);
        found.push({ name, start: at + Math.floor((start * 4) / 3), end: last });
      }
    }
  }
  return found;
}

/** Each byte as one character; what is too little for a byte at the end is left out. */
function decodeBase64(run: string): string {
  const plain = run.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  return atob(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
}

/**
 * Shapes as their issuers document them. Every quantifier is bounded or is the last thing in its pattern, or a
 * look-behind lets a run of characters be tried once only, so that no text can make them slow.
 */
const TOKEN_SHAPES: readonly TokenShape[] = [
  { name: 'a GitHub token', pattern: /gh[opsur]_\w{20,}(?:\.[\w-]{8,}){0,4}/g },
  { name: 'a GitHub token', pattern: /github_pat_\w{20,}/g },
  { name: 'an Anthropic key', pattern: /sk-ant-[\w-]{16,}/g },
  { name: 'an OpenAI key', pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin|or-v1)-[\w-]{16,}/g },
  { name: 'an API key', pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{32,}/g },
  { name: 'an AWS key id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g },
  {
    name: 'an AWS secret key',
    pattern: /(?<=aws_?secret_?(?:access_?)?key["'\s:=>]{1,8})[A-Za-z0-9/+]{40}/gi,
  },
  { name: 'an AWS session token', pattern: /(?<=aws_?session_?token["'\s:=>]{1,8})[A-Za-z0-9/+=]{64,}/gi },
  { name: 'a Slack token', pattern: /xox[abceoprs]-[A-Za-z0-9-]{10,}/g },
  { name: 'a Slack token', pattern: /xapp-\d-[A-Za-z0-9-]{10,}/g },
  { name: 'a Slack webhook', pattern: /hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/g },
  { name: 'a Google API key', pattern: /AIza[\w-]{35}/g },
  { name: 'a Google client secret', pattern: /GOCSPX-[\w-]{20,}/g },
  { name: 'a Google access token', pattern: /(?<!\w)ya29\.[\w-]{20,}/g },
  { name: 'an npm token', pattern: /npm_[A-Za-z0-9]{36}/g },
  { name: 'a PyPI token', pattern: /pypi-AgE[\w-]{40,}/g },
  { name: 'a GitLab token', pattern: /glpat-[\w-]{20,}/g },
  { name: 'a Stripe key', pattern: /[rs]k_live_[A-Za-z0-9]{20,}/g },
  { name: 'a Hugging Face token', pattern: /(?<!\w)hf_[A-Za-z0-9]{30,}/g },
  {
    name: 'a key in a header',
    pattern:
      /(?<=authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}={0,2}/gi,
  },
  { name: 'a JSON web token', pattern: /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g },
];

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = '-----END ';
const KEY_BODY = /(?:(?:\\[nr]|[\s>|"',-]){0,8}[A-Za-z0-9/+=]{16,})*/y;
const KEY_CLOSE = /[A-Z0-9 ]{0,60}-{0,5}/y;

/** Longest private key that is looked for, in characters; an RSA key of 16,384 bits has 13,000. */
const MAX_KEY_LENGTH = 20_000;

/** PEM blocks, also those whose end was cut off: then as far as the lines look like base64. */
function findPrivateKeys(text: string): readonly FoundToken[] {
  const found: FoundToken[] = [];
  let after = 0;
  let nextEnd = 0;
  for (const match of text.matchAll(KEY_BEGIN)) {
    if (match.index < after) continue;
    const bodyStart = match.index + match[0].length;
    if (nextEnd >= 0 && nextEnd < bodyStart) nextEnd = text.indexOf(KEY_END, bodyStart);
    const isClosed = nextEnd >= bodyStart && nextEnd - bodyStart <= MAX_KEY_LENGTH;
    after = isClosed
      ? endOfMatch(KEY_CLOSE, text, nextEnd + KEY_END.length)
      : endOfMatch(KEY_BODY, text, bodyStart);
    found.push({ name: 'a private key', start: match.index, end: after });
  }
  return found;
}

/** Where a sticky pattern that is tried at a place ends; the place itself if it does not match. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? at : at + match[0].length;
}
