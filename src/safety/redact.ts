import { textsIn } from '../lib/data.js';
import { decodeBytes, encodeBytes, isBinary } from '../lib/text/bytes.js';
import { findTokens } from './secrets.js';

/** Replaces a secret. GitHub's own masking writes the same. */
export const MASK = '***';

/**
 * For text that leaves, and for the answers of programs and servers: {@link hideValues}, and a mask
 * for everything that has the shape of a well-known credential.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const hidden = hideValues(text, secrets);
  const tokens = [...findTokens(hidden)].sort((a, b) => a.start - b.start);
  let redacted = '';
  let end = 0;
  for (const token of tokens) {
    if (token.start >= end) redacted += hidden.slice(end, token.start) + MASK;
    end = Math.max(end, token.end);
  }
  return redacted + hidden.slice(end);
}

/**
 * For text that a model reads: the text with a mask for each secret, in the forms of {@link
 * formsOf}. A part of a secret is never masked, because the mask would tell everybody who knows the
 * rest that they have guessed this part.
 */
export function hideValues(text: string, secrets: readonly string[]): string {
  return formsFor(secrets).reduce((hidden, { form, mask }) => hidden.replaceAll(form, mask), text);
}

/** {@link hideValues} for a file, of which all other bytes stay as they are, and binary ones all. */
export function hideInBytes(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (isBinary(bytes)) return bytes;

  const text = decodeBytes(bytes);
  const hidden = hideValues(text, secrets);
  return hidden === text ? bytes : encodeBytes(hidden);
}

/** The first secret that a value of JSON holds, in one of its texts; undefined if it holds none. */
export function findSecret(value: unknown, secrets: readonly string[]): string | undefined {
  const texts = textsIn(value);
  return formsFor(secrets).find(({ form }) => texts.some((text) => text.includes(form)))?.secret;
}

interface SecretForm {
  readonly form: string;
  /** It has as many lines as the form, so that all lines of a text keep their numbers. */
  readonly mask: string;
  readonly secret: string;
}

/** A run has few lists of secrets, and they only grow. */
const formsByList = new WeakMap<
  readonly string[],
  { readonly size: number; readonly forms: readonly SecretForm[] }
>();

/** The forms of all secrets, the longest first, so that no short one hides a part of a long one. */
function formsFor(secrets: readonly string[]): readonly SecretForm[] {
  const known = formsByList.get(secrets);
  if (known?.size === secrets.length) return known.forms;

  const byForm = new Map<string, SecretForm>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      const mask = form.replaceAll(/[^\n]+/g, MASK);
      if (!byForm.has(form)) byForm.set(form, { form, mask, secret });
    }
  }
  const forms = [...byForm.values()].sort((a, b) => b.form.length - a.form.length);
  formsByList.set(secrets, { size: secrets.length, forms });
  return forms;
}

/**
 * A secret as honest programs write it: as it is, in JSON and in JSON within JSON, in HTML, in
 * Markdown, in a URL, in hexadecimal digits, and in base64 at each position in an encoded text.
 */
function formsOf(secret: string): readonly string[] {
  // An unpaired surrogate has no bytes, and becomes U+FFFD as in UTF-8.
  const text = secret.toWellFormed();
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(text);
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
    secret.replace(/[\\`*_{}[\]()#+.!|~-]/g, '\\$&'),
    secret.replace(/[*_]/g, '\\$&'),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ].filter((form) => form !== '');
}

/** The characters of base64 that depend on these bytes alone, with `offset` other bytes before. */
function base64At(bytes: Buffer, offset: number): string {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const encoded = padded.toString('base64').replace(/=+$/, '');
  const start = offset === 0 ? 0 : offset + 1;
  const end = padded.length % 3 === 0 ? encoded.length : encoded.length - 1;
  return encoded.slice(start, end);
}
