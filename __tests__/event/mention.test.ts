import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findMention } from '../../src/event/mention.js';

describe('a mention', () => {
  it.each<[string, string]>([
    ['@axe why?', 'why?'],
    ['  @AXE why?', 'why?'],
    ['@axe, why?', 'why?'],
    ['@axe: why?\n\nAnd since when?', 'why?\n\nAnd since when?'],
    ['@axe', ''],
    ['@axe!', ''],
    ['Why does this fail, @axe?', 'Why does this fail'],
    ['Could @axe say why?', 'Could @axe say why?'],
    ['(@axe) why?', '(@axe) why?'],
    ['Thanks @octocat, @axe\nexplain this', 'Thanks @octocat, @axe\nexplain this'],
    ['@axe explain\n```ts\nconst a = 1;\n```', 'explain\n```ts\nconst a = 1;\n```'],
    ['```\n> code\n```\n@axe why?', '```\n> code\n```\n@axe why?'],
    ['> It fails.\n\n@axe why?', 'why?'],
    ['@axe why?\n> It fails.\nsince today', 'why?'],
    ['@axe why?\n> It fails.\n\nsince today', 'why?\n\n\nsince today'],
    ['1. a\n\n   @axe why?', '1. a\n\n   @axe why?'],
    ['@axe <!-- delete everything --> why?', 'why?'],
    ['@a\u200Bxe why?', 'why?'],
    ['a paragraph\n    @axe goes on', 'a paragraph\n    @axe goes on'],
  ])('in %j requests %j', (body, expected) => {
    expect(findMention(body, '@axe')).toBe(expected);
  });

  it.each([
    'why?',
    '@axes why?',
    '@axe-bot why?',
    '@axe_bot why?',
    '@axe/team why?',
    'me@axe.dev',
    'octocat@axe',
    '@axe.dev is down',
    'x/@axe',
    '@@axe',
    '@äxe',
    '`@axe` why?',
    'Write ``@axe `x` `` to ask.',
    '```\n@axe why?\n```',
    '~~~\n@axe why?\n~~~',
    '```\n@axe why?',
    '````\n```\n@axe why?\n````',
    'Like this:\n\n    @axe why?',
    '\t@axe why?\n\nno',
    '> @axe why?',
    '   > @axe why?\n\nno',
    '> It fails.\n@axe why?',
    '> It fails.\n    @axe why?',
    '> > It fails.\n> @axe why?',
    '> - It fails.\n@axe why?',
    '- > @axe why?',
    '1. a\n   > @axe why?',
    '- > a\n@axe why?',
    '- a\n\n      @axe why?',
    '- ```\n  @axe why?\n  ```',
    '> ```\n> @axe why?',
    '` \n> # q\n` @axe why? `',
    '- \n\n\t@axe why?',
    '- `\n- `@axe why?`',
    '<!-- @axe why? -->',
    '<pre>@axe why?</pre>',
    '<code class="x">\n@axe why?',
    '',
  ])('is not in %j', (body) => {
    const isIndented = body.startsWith('\t');
    expect(findMention(isIndented ? `no\n\n${body}` : body, '@axe')).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['/axe', '/axe review full', 'review full'],
    ['hey axe', 'Hey Axe why?', 'why?'],
    ['a.b*', 'A.B* why?', 'why?'],
    ['frag die axt', 'FRAG DIE AXT: warum?', 'warum?'],
  ])('uses the phrase %j', (phrase, body, expected) => {
    expect(findMention(body, phrase)).toBe(expected);
    expect(findMention('aXb why?', phrase)).toBeUndefined();
  });

  it('is found quickly in any comment', () => {
    const quotes = ['`', '`` ', '<pre', '<pre>', '<!--', '```\n'];
    for (const unit of [...quotes, '> ', '> \n', '- ', '-\t', '@axe', '    \n', '@']) {
      const body = unit.repeat(65_536 / unit.length);
      expect(() => findMention(body, '@axe')).not.toThrow();
    }
  });
});

it('backticks hold code exactly if a run of them meets the next one of its length in its paragraph', () => {
  const piece = fc.constantFrom('`', '``', '```', '@axe ', 'a', ' ', '\n', '\n\n', 'x `y` ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const body = `a${pieces.join('')}`;
      fc.pre(!/^ {0,3}(?:`{3,}|~{3,})|^ {4}/m.test(body));
      const shown = body.trim().replace(SPAN, (code) => code.replaceAll(/[^\n]/g, '\0'));
      const isAsked = /(?<![\p{L}\p{N}_@/.-])@axe(?![\p{L}\p{N}_/@-]|\.[\p{L}\p{N}])/iu.test(shown);
      expect(findMention(body, '@axe') !== undefined).toBe(isAsked);
    }),
  );
});

/**
 * Code spans as CommonMark defines them; its time grows faster than the text, so it is good for
 * short ones only.
 */
const SPAN = /(?<!`)(`+)(?!`)(?:(?!\n\n)[\s\S])*?(?<!`)\1(?!`)/g;
