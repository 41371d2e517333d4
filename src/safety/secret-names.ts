import type { Environment } from '../lib/environment.js';

/**
 * Names of environment variables that hold secrets: keys, tokens, passwords and what else leads in by itself. `AUTHOR…`
 * is none of them, and neither is the name of a file or a number of tokens.
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

/**
 * Every value of an environment that must never leave, longest first, so that none hides part of another (D11, D49): of
 * names that look like a secret's, of the names in `named`, in any case, and the passwords inside addresses. The lines
 * of a key and the secret fields of a JSON document count by themselves.
 */
export function secretValues(env: Environment, named: readonly string[] = []): readonly string[] {
  const allowed = new Set(named.map((name) => name.toUpperCase()));
  const values = Object.entries(env).flatMap(([name, value]) => {
    const text = value?.trim() ?? '';
    if (text === '') return [];
    const isSecret = SECRET_NAME.test(name) || allowed.has(name.toUpperCase());
    return [...passwordsIn(text), ...(isSecret ? [text, ...partsOf(text)] : [])];
  });
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** The password in an address, with or without its scheme: a proxy's, a database's. */
const PASSWORD = /^(?:[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*|[\w.%+-]*):([^\s/@]+)@/i;

/** The name in an address without a password, which often is a token. */
const NAME_ALONE = /^[a-z][a-z0-9+.-]*:\/\/([^\s/@:]+):?@/i;

/** What an address gives away, as it is written and as it is meant. */
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

/** What betrays a secret of several lines or fields as much as all of it. */
function partsOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const long = lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith('-----'));
  return [...(lines.length > 1 && !text.startsWith('{') ? long : []), ...fieldsOf(text)];
}

/** The secret fields of a JSON object, such as the key file of a service account. */
function fieldsOf(text: string): readonly string[] {
  if (!text.startsWith('{')) return [];
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document !== 'object' || document === null) return [];
    const texts = Object.entries(document).flatMap(([name, value]: readonly [string, unknown]) =>
      typeof value === 'string' && SECRET_NAME.test(name) ? [value.trim()] : [],
    );
    return texts.flatMap((value) => [value, ...partsOf(value)]).filter((value) => value !== '');
  } catch {
    return [];
  }
}

/** Values that must never leave, of which more become known in the course of a run. */
export interface Secrets {
  /** Grows with {@link add}: every holder of the list knows the new ones too. */
  readonly values: readonly string[];
  add(more: readonly string[]): void;
}

/** The secrets of an environment, with those of the names in `named`. */
export function createSecrets(env: Environment, named: readonly string[] = []): Secrets {
  const values = [...secretValues(env, named)];
  return {
    values,
    add(more) {
      values.push(...more.filter((value) => value.trim() !== '' && !values.includes(value)));
    },
  };
}
