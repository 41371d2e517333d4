import { parseJson } from '../lib/data.js';
import type { Environment } from '../lib/environment.js';

/**
 * Names of environment variables that hold secrets: keys, tokens, passwords and what else leads in
 * by itself. `AUTHOR…` is none of them, and neither is the name of a file or a number of tokens.
 */
const SECRET_NAME = new RegExp(
  [
    '(?:^|[_-])(?:API)?KEY(?:[_-](?:\\d+|B64|BASE64|PEM))?$',
    'TOKEN$',
    '(?:^|[_-])BEARER[_-]TOKEN[_-]\\w+$',
    '(?:^|[_-])SECRET(?:$|[_-])',
    'PASSWORD',
    'PASSWD',
    'PASSPHRASE',
    '(?:^|[_-])(?:PAT|DSN|SAS|JWT|COOKIE)$',
    '.[_-](?:PASS|PWD)$',
    '.[_-]AUTH$',
    '^(?:INPUT_)?AUTH(?!OR(?:$|S$|[_-]))',
    'CREDENTIAL',
    '(?:^|[_-])CREDS?(?:$|[_-])',
    'KUBE_?CONFIG[_-](?:DATA|B64|BASE64)$',
    'DATABASE_URL$',
    'CONNECTION[_-]?STRING',
    'WEBHOOK(?:_URL)?$',
  ].join('|'),
  'i',
);

/** Shorter lines of a secret that has several are ordinary text. */
const MIN_LINE_LENGTH = 12;

/** The public fingerprint of a signing key, which the images of Python set. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set(['GPG_KEY']);

/** A value that must never leave, and the name of the variable that has it. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** The values of an environment that must never leave, see {@link createSecrets}. */
export function secretValues(env: Environment): readonly string[] {
  return createSecrets(env).values;
}

function candidatesIn(env: Environment, named: readonly string[]): readonly Secret[] {
  const upperCaseNames = new Set(named.map((name) => name.toUpperCase()));
  return Object.entries(env).flatMap(([name, value]) => {
    const text = value?.trim() ?? '';
    if (text === '') return [];

    const isNamed = upperCaseNames.has(name.toUpperCase());
    const isSecret = isNamed || (SECRET_NAME.test(name) && !PUBLIC_NAMES.has(name));
    const values = [...(isSecret ? [text, ...partsOf(text)] : []), ...passwordsIn(text)];
    return values.map((candidate) => ({ name, value: candidate }));
  });
}

/**
 * True if nobody finds a value by guessing. A value that is easily guessed is not masked: the mask
 * would tell people who guess it that they are right, and would replace ordinary words.
 */
export function isHardToGuess(value: string): boolean {
  // Others know most of an address, or of a list of settings, so its hardest part counts alone.
  const hasParts = /[:;=](?!=*$)/.test(value);
  const parts = hasParts ? value.split(/[/?&=;:@,"\s]+/) : [value];
  return parts.some((part) => guessBits(part) >= MIN_GUESS_BITS);
}

/** Guessing 2^48 values takes more runs than there will ever be. */
const MIN_GUESS_BITS = 48;

/** Estimates how many guesses a value takes, as a power of two. @internal */
export function guessBits(value: string): number {
  const pieces: readonly string[] = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]/g) ?? [];
  const distinctPieces = [...new Set(pieces)];
  return distinctPieces.reduce((sum, piece) => sum + bitsOf(piece), pieces.length);
}

const SEQUENCES = `${'0123456789'.repeat(4)} ${'abcdefghijklmnopqrstuvwxyz'.repeat(2)}`;

/** Words, numbers and sequences are some of a few thousand, however long they are. */
function bitsOf(piece: string): number {
  if (/^[^A-Za-z\d]/.test(piece)) return 2;
  const isSequence = /^(.)\1+$/.test(piece) || SEQUENCES.includes(piece.toLowerCase());
  if (piece.length > 2 && isSequence) return 6;
  if (/\d/.test(piece)) return piece.length * (piece.length > 2 ? 2.5 : 3.3);

  const isWord = piece.length > 2 && !/[^aeiouy]{5}/i.test(piece);
  return isWord ? 11 + Math.max(0, piece.length - 10) : piece.length * 4.7;
}

/** The password in an address, with or without its scheme: a proxy's, a database's. */
const PASSWORD = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*|[\w.%+-]*):([^\s/@]+)@/i;

/** The name in an address without a password, which often is a token. */
const NAME_ALONE = /^[a-z][a-z0-9+.-]*:\/\/([^\s/@:]+):?@/i;

/** The secrets in an address, percent-encoded as they are written, and decoded. */
function passwordsIn(text: string): readonly string[] {
  const [, written] = PASSWORD.exec(text) ?? NAME_ALONE.exec(text) ?? [];
  return written === undefined ? [] : [written, decoded(written)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of a secret of several lines or fields that have to stay as secret as all of it. */
function partsOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const long = lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith('-----'));
  return [...(lines.length > 1 && !text.startsWith('{') ? long : []), ...fieldsOf(text)];
}

/** The secret fields of a JSON object, such as the key file of a service account. */
function fieldsOf(text: string): readonly string[] {
  const document = text.startsWith('{') ? parseJson(text) : undefined;
  const texts = Object.entries(document ?? {}).flatMap(
    ([name, value]: readonly [string, unknown]) =>
      typeof value === 'string' && SECRET_NAME.test(name) ? [value.trim()] : [],
  );
  return texts.flatMap((value) => [value, ...partsOf(value)]).filter((value) => value !== '');
}

/** Values that must never leave, of which more become known in the course of a run. */
export interface Secrets {
  /** Grows with {@link add}, so that every holder of the list knows the new ones too. */
  readonly values: readonly string[];
  /** Variables of the environment whose values are not among them, since they are easily guessed. */
  readonly guessedNames: readonly string[];
  /** The name of the variable that has a value. */
  nameOf(value: string): string;
  /** Adds those that are hard to guess. */
  add(more: readonly Secret[]): void;
}

/**
 * The secrets of an environment, longest first, so that none hides part of another: of names that
 * look like a secret's, of the names in `named`, in any case, and the passwords inside addresses, as
 * far as they are hard to guess. The lines of a key and the secret fields of a JSON document count
 * by themselves.
 */
export function createSecrets(env: Environment, named: readonly string[] = []): Secrets {
  const names = new Map<string, string>();
  const values: string[] = [];
  // The only place where a value becomes a secret, so that none is ever easily guessed.
  const add = (more: readonly Secret[]) => {
    for (const { name, value } of more) {
      const text = value.trim();
      if (!isHardToGuess(text) || names.has(text)) continue;
      names.set(text, name);
      values.push(text);
    }
  };

  const candidates = candidatesIn(env, named);
  add(candidates.toSorted((a, b) => b.value.length - a.value.length));
  const keptNames = new Set(
    candidates.flatMap(({ name, value }) => (names.has(value) ? [name] : [])),
  );
  const candidateNames = [...new Set(candidates.map(({ name }) => name))];
  return {
    values,
    guessedNames: candidateNames.filter((name) => !keptNames.has(name)),
    nameOf: (value) => names.get(value) ?? 'an unknown variable',
    add,
  };
}

/** The line for the log that names variables which people may believe to be masked. */
export function guessedLine({ guessedNames }: Secrets): string | undefined {
  const names = guessedNames.map((name) => `\`${name}\``).join(', ');
  return names === '' ? undefined : `Not masked, since they are easily guessed: ${names}.`;
}

/** A stretch of a text: from `start` up to, not including, `end`, in UTF-16 units. */
interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A credential in a text, without its value. */
interface FoundToken extends TextSpan {
  readonly name: string;
}

/** Credentials of well-known shape in a text, in no particular order. */
export function findTokens(text: string): readonly FoundToken[] {
  const tokens: FoundToken[] = [];
  for (const [name, pattern] of TOKEN_SHAPES) {
    for (const match of text.matchAll(pattern)) {
      tokens.push({ name, start: match.index, end: match.index + match[0].length });
    }
  }
  return [...tokens, ...findPrivateKeys(text)];
}

/**
 * Shapes as their issuers document them, each with a name for people. Every quantifier is
 * bounded or is the last thing in its pattern, or a look-behind lets a run of characters be tried
 * once only, so that no text can make them slow.
 */
const TOKEN_SHAPES: readonly (readonly [string, RegExp])[] = [
  ['a GitHub token', /gh[opsur]_\w{20,}(?:\.[\w-]{8,}){0,4}/g],
  ['a GitHub token', /github_pat_\w{20,}/g],
  ['an Anthropic key', /sk-ant-[\w-]{16,}/g],
  ['an OpenAI key', /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin|or-v1)-[\w-]{16,}/g],
  ['an API key', /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{32,}/g],
  ['an AWS key id', /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g],
  ['an AWS secret key', /(?<=aws_?secret_?(?:access_?)?key["'\s:=>]{1,8})[A-Za-z0-9/+]{40}/gi],
  ['an AWS session token', /(?<=aws_?session_?token["'\s:=>]{1,8})[A-Za-z0-9/+=]{64,}/gi],
  ['a Slack token', /xox[abceoprs][-.][A-Za-z0-9-]{8,}/g],
  ['a Slack token', /xapp-\d-[A-Za-z0-9-]{10,}/g],
  ['a Slack webhook', /hooks\.slack\.com\/(?:services|triggers|workflows)\/[A-Za-z0-9+/]{20,}/g],
  ['a Google API key', /AIza[\w-]{35}/g],
  ['a Google client secret', /GOCSPX-[\w-]{20,}/g],
  ['a Google access token', /(?<!\w)ya29\.[\w-]{20,}/g],
  ['an npm token', /npm_[A-Za-z0-9]{36}/g],
  ['a PyPI token', /pypi-AgE[\w-]{40,}/g],
  ['a Stripe key', /[rs]k_(?:live|prod|test)_[A-Za-z0-9]{10,}/g],
  ['a private key', /AGE-SECRET-KEY-1[0-9A-Z]{58}/g],
  ['a token', issuedTokens()],
  [
    'a key in a header',
    /(?<=authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,}={0,2}/gi,
  ],
  ['a JSON web token', /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
];

/**
 * The beginnings of tokens by issuer, in the order of the alphabet, with their least lengths; from
 * their documents and the list of gitleaks. One pattern, so that a text is read once for all.
 */
function issuedTokens(): RegExp {
  const shapes = [
    '4b1d[A-Za-z0-9]{38}',
    'A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}',
    'ABSK[A-Za-z0-9+/]{109,}',
    'AKCp[A-Za-z0-9]{69}',
    'API-[A-Z0-9]{26}(?!\\w)',
    'CLOJARS_[a-zA-Z0-9]{60}',
    'EAA[CM][A-Za-z0-9]{100,}',
    'EAAA[\\w-]{22,}',
    'EZ[AT]K[A-Za-z0-9]{54}',
    'FLW(?:PUB|SEC)K_TEST-[A-Za-z0-9]{12,}',
    'GR1348941[\\w-]{20,}',
    'HRKU-AA[\\w-]{58}',
    'LTAI[A-Za-z0-9]{20}',
    'PMAK-[0-9a-f]{24}-[0-9a-f]{34}',
    'SG\\.[\\w=.-]{66}',
    'SK[0-9a-fA-F]{32}(?!\\w)',
    '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\\w)',
    '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,}',
    '(?:api_org|hf)_[A-Za-z0-9]{30,}',
    '(?:authress|ext|sc|scauth)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[\\w+/=-]{30,}',
    'bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]*',
    'cmVmd[A-Za-z0-9]{59}',
    // `x-access-token:`, as `actions/checkout` stores it.
    'eC1hY2Nlc3MtdG9rZW46[A-Za-z0-9+/]{20,}={0,2}',
    'dapi[0-9a-f]{32}(?:-\\d)?(?!\\w)',
    'do[opr]_v1_[0-9a-f]{64}',
    'dp\\.(?:audit|ct|pt|sa|scim|st)\\.[A-Za-z0-9]{40,}',
    'dt0c01\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}',
    'duffel_(?:live|test)_[\\w=-]{43}',
    'eyJrIjoi[A-Za-z0-9]{70,}',
    'fio-u-[\\w=-]{64}',
    '(?:fm1[ar]|fm2|fo1)_[\\w+/-]{43,}',
    'gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\\w.-]{20,}',
    'gl(?:c|sa)_[\\w+/]{32,}',
    'hv[bs]\\.[\\w-]{90,}',
    'ico-[A-Za-z0-9]{32}(?!\\w)',
    'lin_api_[A-Za-z0-9]{40}',
    'ntn_[A-Za-z0-9]{46}',
    'ops_eyJ[A-Za-z0-9+/]{250,}',
    'p8e-[A-Za-z0-9]{32}(?!\\w)',
    'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}',
    '(?:pat|sat)\\.[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}',
    'pnu_[A-Za-z0-9]{36}',
    'pplx-[A-Za-z0-9]{48}',
    'pscale_(?:oauth|pw|tkn)_[\\w=.-]{32,}',
    'pul-[0-9a-f]{40}',
    'rdme_[a-z0-9]{70}',
    'rubygems_[0-9a-f]{48}',
    's-s4t2(?:af|ud)-[0-9a-f]{64}',
    'sgp_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}',
    'sha256~[\\w-]{43}',
    'shippo_(?:live|test)_[0-9a-fA-F]{40}',
    'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
    'sm_[aps]at_[A-Za-z0-9]{16}',
    'sntrys_eyJpYXQiO[\\w+/=]{80,}',
    'sntryu_[0-9a-f]{64}',
    'sq0atp-[\\w-]{22,}',
    'tk-us-[\\w-]{48}',
    'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}',
    'webhook\\.office\\.com/webhookb2/[\\w@/-]{100,}',
    'xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}',
    '[\\w~.]{3}\\dQ~[\\w~.-]{31,34}(?![\\w~-])',
    '_gitlab_session=[0-9a-z]{32}',
  ];
  return new RegExp(`(?<![A-Za-z0-9])(?:${shapes.join('|')})`, 'g');
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = '-----END ';
const KEY_BODY = /(?:(?:\\[nr]|[\s>|"',-]){0,8}[A-Za-z0-9/+=]{16,})*/y;
const KEY_CLOSE = /[A-Z0-9 ]{0,60}-{0,5}/y;

/** Longest private key that is looked for, in characters; an RSA key of 16,384 bits has 13,000. */
const MAX_KEY_LENGTH = 20_000;

/** PEM blocks, also those whose end was cut off: then as far as the lines look like base64. */
function findPrivateKeys(text: string): readonly FoundToken[] {
  const tokens: FoundToken[] = [];
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
    tokens.push({ name: 'a private key', start: match.index, end: after });
  }
  return tokens;
}

/** The end of a sticky pattern that is tried at a place; the place itself if it does not match. */
function endOfMatch(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  return match === null ? start : start + match[0].length;
}
