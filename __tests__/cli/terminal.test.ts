import { expect, it } from '@jest/globals';
import { programName } from '../../src/cli/terminal.js';

it.each([
  ['/usr/local/bin/axe', 'axe'],
  ['/usr/local/bin/axe-action', 'axe-action'],
  ['/work/dist/cli/index.js', 'axe-action'],
  [undefined, 'axe-action'],
])('the program started as %j calls itself %s', (script, name) => {
  expect(programName(script)).toBe(name);
});
