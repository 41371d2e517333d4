import { describe, expect, it } from '@jest/globals';
import { cleanLog } from '../../src/safety/sanitize.js';

const COMMANDS: readonly (readonly [string, string, string])[] = [
  ['a command', '::set-output name=x::y', ': :set-output name=x::y'],
  ['a mask', '::add-mask::a', ': :add-mask::a'],
  ['an end of commands', '::stop-commands::token', ': :stop-commands::token'],
  ['a matcher', '::add-matcher::x.json', ': :add-matcher::x.json'],
  ['white space before it', ' \t\u00A0::error::x', ' \t\u00A0: :error::x'],
  ['a carriage return before it', 'done\r::error::x', 'done\n: :error::x'],
  ['a line separator before it', 'done\u2028::error::x', 'done\n: :error::x'],
  ['an invisible character in it', ':\u200B:error::x', ': :error::x'],
  ['a colour before it', '\x1B[31m::error::x', ': :error::x'],
  ['three colons', ':::error::x', ': ::error::x'],
  ['the old form', '##[group]x', '## [group]x'],
  ['the old form behind text', 'a ##[error]x', 'a ## [error]x'],
  ['an encoded line break', 'a%0A::error::x', 'a%0A::error::x'],
];

describe('cleanLog', () => {
  for (const [name, text, expected] of COMMANDS) {
    it(`C8 94: makes plain text of ${name}`, () => {
      expect(cleanLog(text)).toBe(expected);
      expect(cleanLog(expected)).toBe(expected);
    });
  }

  it('leaves colons within a line, newlines and tabs', () => {
    const text = 'std::vector<a::b>\n\tkey: value :: x\n';
    expect(cleanLog(text)).toBe(text);
  });
});
