import { expect, it } from '@jest/globals';
import { sourcePosition } from '../../src/lib/position.js';

it.each([
  [{ file: 'bot.toml' }, 'bot.toml'],
  [{ file: 'bot.toml', line: 3 }, 'bot.toml:3'],
  [{ file: 'bot.toml', line: 3, column: 7 }, 'bot.toml:3:7'],
  [{ file: 'bot.toml', column: 7 }, 'bot.toml'],
])('the position %j is written as %s', (position, text) => {
  expect(sourcePosition(position)).toBe(text);
});
