import { expect, it } from '@jest/globals';
import { colorsFor, programName } from '../../src/cli/terminal.js';

it.each([
  ['/usr/local/bin/axe', 'axe'],
  ['/usr/local/bin/axe-action', 'axe-action'],
  ['/work/dist/cli/index.js', 'axe-action'],
  [undefined, 'axe-action'],
])('the program started as %j calls itself %s', (script, name) => {
  expect(programName(script)).toBe(name);
});

it.each<[string, { readonly isTTY?: boolean }, Record<string, string>, boolean]>([
  ['a terminal has colours', { isTTY: true }, {}, true],
  ['a pipe has none', {}, {}, false],
  ['NO_COLOR takes them away', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR says nothing', { isTTY: true }, { NO_COLOR: '' }, true],
  ['a dumb terminal has none', { isTTY: true }, { TERM: 'dumb' }, false],
])('%s', (_, stream, env, expected) => {
  expect(colorsFor(stream, env).red('x') !== 'x').toBe(expected);
});
