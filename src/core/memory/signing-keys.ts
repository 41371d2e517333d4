import { ConfigError } from '../errors.js';

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
