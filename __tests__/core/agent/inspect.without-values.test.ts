import { expect, it } from '@jest/globals';
import { withoutValues } from '../../../src/core/agent/inspect.js';

const DOCUMENT = {
  name: 'v',
  tools: ['a', 1],
  memory: { last_n: 'x', notes: true },
  servers: [{ a: 1 }, { a: 2 }],
};

it.each([
  [[], DOCUMENT],
  [[['name']], { ...DOCUMENT, name: undefined }],
  [[['tools', 1]], { ...DOCUMENT, tools: undefined }],
  [[['memory', 'last_n']], { ...DOCUMENT, memory: { notes: true } }],
  [[['servers', 1, 'a']], { ...DOCUMENT, servers: [{ a: 1 }, {}] }],
  [
    [
      ['servers', 0],
      ['memory', 'nothing'],
    ],
    { ...DOCUMENT, servers: undefined },
  ],
])('values at %j are left out', (paths, expected) => {
  expect(withoutValues(DOCUMENT, paths)).toEqual(expected);
});
