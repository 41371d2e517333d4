import { ConfigError } from '../errors.js';
import { formatProvenance } from './provenance.js';
import { parseLog, type Unit } from './units.js';

/** What is known of an entry's signature. `bad` also where something is behind the line that holds it. */
export type Signature = 'good' | 'bad' | 'none';

const PROVENANCE_AT_END = /(?<![^\n])<!-- axe-action v=1 [^\n]* -->\s*$/;
const SIGNED_LINE = /^<!-- axe-action v=1 [^\n]* sig=[0-9a-f]+ -->\r?$/m;
const SIGNATURE_AT_END = / sig=([0-9a-f]+)(?= -->\s*$)/;
/** Half of SHA-256's digits: 128 bits, which nobody guesses, in half a line. */
const DIGITS = 32;

/**
 * The entry with a signature at the end of its provenance line (D8): an HMAC over its place in the tree and its text,
 * so that an entry can neither be changed nor moved to another agent or lane. Line ends and trailing blank lines are not
 * signed, since git and merges change them. An entry that does not end in a provenance line stays as it is.
 */
export function withSignature(text: string, path: string, sign: Sign): string {
  if (!PROVENANCE_AT_END.test(text)) return text;
  const plain = withoutSignature(text);
  return plain.replace(/ -->(?=\s*$)/, ` sig=${digest(plain, path, sign)} -->`);
}

/** The entry without its signature, as one that was cut must be: it would not fit. */
export function withoutSignature(text: string): string {
  return text.replace(SIGNATURE_AT_END, '');
}

/** Checks an entry against the places it may come from. */
export function checkSignature(text: string, paths: readonly string[], sign: Sign): Signature {
  if (!SIGNED_LINE.test(text)) return 'none';
  const signature = PROVENANCE_AT_END.test(text) ? SIGNATURE_AT_END.exec(text)?.[1] : undefined;
  const plain = withoutSignature(text);
  const keys = [sign, ...(sign.earlier ?? [])];
  return paths.some((path) => keys.some((key) => digest(plain, path, key) === signature)) ? 'good' : 'bad';
}

/** Whether a signature is that of the key that new entries are signed with. */
export function isSignedFirst(text: string, path: string, sign: Sign): boolean {
  return checkSignature(text, [path], (message) => sign(message)) === 'good';
}

/**
 * An entry that is there, signed. One without provenance gets a line with the id that it is known by, so that it stays
 * the same entry. Undefined where text is below the line, which a signature would not cover.
 */
export function signEntry({ id, text, hasProvenance }: Unit, path: string, sign: Sign): string | undefined {
  if (PROVENANCE_AT_END.test(text)) return withSignature(text, path, sign);
  if (hasProvenance) return undefined;
  const body = text.trimEnd();
  const line = formatProvenance({ ...NOTHING_KNOWN, id });
  return withSignature(`${body}\n${line}${text.slice(body.length) || '\n\n'}`, path, sign);
}

const NOTHING_KNOWN = {
  run: undefined,
  job: undefined,
  event: undefined,
  sha: undefined,
  actor: undefined,
  trust: undefined,
  model: undefined,
};

/** Entries with a good signature, and what was left out for want of one. */
interface SignedEntries {
  readonly text: string;
  readonly kept: number;
  readonly bad: number;
  readonly unsigned: number;
}

/**
 * The newest `lastN` entries (0: all) that carry a good signature. What is before the first entry has none, and is
 * left out too.
 */
export function signedEntries(
  text: string,
  { paths, lastN, sign }: { readonly paths: readonly string[]; readonly lastN: number; readonly sign: Sign },
): SignedEntries {
  const { units } = parseLog(text);
  const checked = units.map((unit) => ({ unit, signature: checkSignature(unit.text, paths, sign) }));
  const good = checked.flatMap(({ unit, signature }) => (signature === 'good' ? [unit.text] : []));
  const kept = lastN === 0 ? good : good.slice(-lastN);
  return {
    text: kept.join(''),
    kept: kept.length,
    bad: checked.filter(({ signature }) => signature === 'bad').length,
    unsigned: checked.filter(({ signature }) => signature === 'none').length,
  };
}

function digest(text: string, path: string, sign: Sign): string {
  return sign(`${path}\n${text.replaceAll('\r\n', '\n').trimEnd()}`).slice(0, DIGITS);
}

/** A keyed digest of a text (HMAC-SHA256), as lower-case hexadecimal digits. */
export interface Sign {
  (text: string): string;
  /** Digests with keys that were used before: what they signed is still good, and nothing new is signed with them. */
  readonly earlier?: readonly Sign[];
}

/** A key that can be guessed protects nothing. */
const MIN_KEY_CHARACTERS = 16;

/** The keys of a list, one a line: the first signs, the others are earlier ones. */
export function signingKeys(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Throws a ConfigError for a key that is too short; `name` is where the keys come from. No key is in the message. */
export function checkSigningKeys(text: string, name: string): void {
  const keys = signingKeys(text);
  const at = keys.findIndex((key) => [...key].length < MIN_KEY_CHARACTERS);
  if (at < 0) return;
  const which = keys.length === 1 ? 'the key' : `key ${at + 1} of ${keys.length}`;
  throw new ConfigError(`${which} in ${name} has fewer than ${MIN_KEY_CHARACTERS} characters`, {
    remedy:
      'Use a long random text, for example what `openssl rand -hex 32` prints. Several keys are one a line.',
  });
}
