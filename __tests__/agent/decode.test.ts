import { describe, expect, it } from '@jest/globals';
import { decodeAgent } from '../../src/agent/loader.js';
import { MAX_AGENT_BYTES } from '../../src/lib/defaults.js';
import { ConfigError } from '../../src/lib/errors.js';

const SOURCE = { name: 'v', file: 'axe/agents/v.toml' };

function utf16(mark: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`${mark}name = "v"`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

function errorOf(bytes: Uint8Array): ConfigError {
  try {
    decodeAgent(bytes, SOURCE);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error('expected a ConfigError');
}

describe('decodeAgent', () => {
  it.each([
    ['plain text', 'name = "v"\n', 'name = "v"\n'],
    ['CRLF', 'name = "v"\r\n', 'name = "v"\r\n'],
    ['other alphabets', 'name = "ß漢🎉"', 'name = "ß漢🎉"'],
    ['a byte order mark, which is left out', '\uFEFFname', 'name'],
    ['nothing', '', ''],
  ])('C1 2: accepts %s', (_what, written, read) => {
    expect(decodeAgent(new TextEncoder().encode(written), SOURCE)).toBe(read);
  });

  it.each([
    ['little endian with a mark', utf16('\uFEFF', 'le')],
    ['big endian with a mark', utf16('\uFEFF', 'be')],
    ['little endian without a mark', utf16('', 'le')],
    ['big endian without a mark', utf16('', 'be')],
  ])('C1 2: refuses UTF-16, %s', (_what, bytes) => {
    expect(errorOf(bytes)).toMatchObject({
      message: 'failed to parse agent config "v": the file is UTF-16, not UTF-8',
      exitCode: 2,
      remedy: 'Save the file as UTF-8.',
      at: { file: 'axe/agents/v.toml', line: 1 },
    });
  });

  it.each([
    ['a Latin-1 letter', [0x61, 0x0a, 0x62, 0x0a, 0xe9], 3],
    ['half a character at the end of a line', [0x61, 0xf0, 0x9f, 0x0a, 0x62], 1],
    ['half a character at the end of the file', [0x61, 0x0a, 0xc3], 2],
    ['an encoded surrogate', [0x0a, 0x0a, 0x0a, 0xed, 0xa0, 0x80, 0x0a], 4],
  ])('refuses %s and names the line', (_what, bytes, line) => {
    const error = errorOf(Uint8Array.from(bytes));
    expect(error.message).toBe('failed to parse agent config "v": invalid UTF-8');
    expect(error.at).toEqual({ file: 'axe/agents/v.toml', line });
  });

  it('C1 6: refuses a file over the limit and accepts one of exactly the limit', () => {
    expect(decodeAgent(new Uint8Array(MAX_AGENT_BYTES).fill(0x23), SOURCE)).toHaveLength(MAX_AGENT_BYTES);
    expect(errorOf(new Uint8Array(MAX_AGENT_BYTES + 1).fill(0x23)).message).toBe(
      `failed to parse agent config "v": the file has 262,145 bytes; the limit is 262,144 bytes`,
    );
  });
});
