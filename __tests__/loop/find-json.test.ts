import { describe, expect, it } from '@jest/globals';
import { findJson } from '../../src/loop/structured.js';

describe('finding the JSON of an answer', () => {
  it.each<[string, string, unknown]>([
    ['is the whole answer', '{"a":1}', { a: 1 }],
    ['has white space and a byte order mark around it', '\uFEFF\n {"a":1} \n', { a: 1 }],
    ['is a list', '[1,2]', [1, 2]],
    ['is a word', 'null', null],
    ['is in a fence', '```json\n{"a":1}\n```', { a: 1 }],
    ['is in a fence without a language', '```\n{"a":1}\n```', { a: 1 }],
    ['is in a fence with Windows line ends', '```json\r\n{\r\n"a":1}\r\n```\r\n', { a: 1 }],
    ['is in a fence with words around it', 'Here it is:\n\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['is in a fence of tildes', '~~~\n{"a":1}\n~~~', { a: 1 }],
    ['is in a fence that was not closed', '```json\n{"a":1}', { a: 1 }],
    ['is in a longer fence', '````json\n{"a":1}\n````', { a: 1 }],
    ['holds a fence in a text', '```json\n{"a":"```\\nx\\n```"}\n```', { a: '```\nx\n```' }],
    [
      'holds a whole fence and is not in one',
      '{"a":"\\n```json\\n{}\\n```\\n"}',
      { a: '\n```json\n{}\n```\n' },
    ],
  ])('accepts it when it %s', (_, answer, value) => {
    expect(findJson(answer)).toEqual({ kind: 'found', value });
  });

  it.each<[string, string, RegExp]>([
    ['nothing', ' \n', /empty/],
    ['prose', 'All good.', /not JSON/],
    ['cut JSON', '{"a": [1, 2', /not JSON/],
    ['JSON with words around it', 'Here: {"a":1}', /not JSON/],
    ['two fences', '```json\n{}\n```\nor\n```json\n{}\n```', /2 code blocks/],
    ['a fence with something else', '```ts\nlet a;\n```', /not JSON/],
  ])('reports the problem of %s', (_, answer, problem) => {
    const found = findJson(answer);
    expect(found).toEqual({ kind: 'missing', problem: expect.stringMatching(problem) });
  });
});
