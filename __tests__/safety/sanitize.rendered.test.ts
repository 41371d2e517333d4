import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Channel, sanitize } from '../../src/safety/sanitize.js';
import { CODE, MARKDOWN_PIECES, REFERENCE, type Rendered, renderMarkdown } from './rendered-markdown.js';

const hostile = fc
  .array(fc.constantFrom(...MARKDOWN_PIECES), { maxLength: 30 })
  .map((pieces) => pieces.join(''));

/** What markdown and the harmless tags make; `section` and `img` would be among them only by a definition or an image. */
const ELEMENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote ul ol li hr br pre code em strong del a table thead tbody tr th td input b i ins kbd s sub sup details summary'.split(
    ' ',
  ),
);

/** What acts on GitHub although the text was cleaned; empty for nothing. */
function liveIn({ blocks, texts, elements, links }: Rendered): readonly string[] {
  const strange = elements.filter((name) => !ELEMENTS.has(name));
  const mentions = texts.flatMap((text) => text.match(/(?<![A-Za-z0-9])@[A-Za-z0-9][\w-]*/g) ?? []);
  const closing = blocks.flatMap((text) => text.match(CLOSING) ?? []);
  const schemes = links.filter(
    (link) => /^[a-z][a-z\d+.-]*:/i.test(link) && !/^(?:https?|mailto):/i.test(link),
  );
  return [...strange, ...mentions, ...closing, ...schemes];
}

const CLOSING = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[\s:]+(?:(?:[\w.-]+\/[\w.-]+)?#\d+|GH-\d+|${REFERENCE})`,
  'gi',
);

/** What makes GitHub write into another thread. */
function referencesIn({ texts }: Rendered): readonly string[] {
  const pattern = new RegExp(
    String.raw`${REFERENCE}|(?<![A-Za-z0-9&])#\d+(?![A-Za-z0-9_])|(?<![A-Za-z0-9])GH-\d+(?![A-Za-z0-9_])|[\w-]@[0-9a-f]{7,40}(?![A-Za-z0-9])`,
    'gi',
  );
  return texts.flatMap((text) => text.match(pattern) ?? []);
}

describe('a cleaned text, read by a GFM parser', () => {
  const channels: readonly Channel[] = ['comment', 'untrusted-comment', 'summary'];
  it.each(channels)('contains no working mention, image, tag or closing word (%s)', (channel) => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(liveIn(renderMarkdown(sanitize(text, channel, [])))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('links to no other thread if it might contain text by strangers', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(referencesIn(renderMarkdown(sanitize(text, 'untrusted-comment', [])))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('is judged by a parser that detects what works', () => {
    const text =
      '@octocat _fixes #1_ fixes&nbsp;#2 ![a](b) <div>\n\nhttps://github.com/octo/repo/issues/1 `@x` octo/repo@0123456';
    const rendered = renderMarkdown(text);
    expect(liveIn(rendered)).toEqual(['img', 'div', '@octocat', 'fixes #1', 'fixes\u00A0#2']);
    expect(referencesIn(rendered)).toEqual(['#1', '#2', REFERENCE, 'o@0123456']);
    expect(rendered.blocks.join('')).toContain(CODE);
  });
});

it.each([
  ['https://Closes: www.github.com/octo/repo/issues/1', /Closes: https:\/\/redirect\.github\.com\/octo/],
  ['https://example.com/fix: #1', /fix: <code>#1<\/code>/],
  ['https://example.com/fix_ #1', /fix_ <code>#1<\/code>/],
  ['https://example.com/fixes.html #1', /html #1$/],
])('a closing word at the end of an address closes nothing: %s', (text, cleaned) => {
  expect(sanitize(text, 'comment', [])).toMatch(cleaned);
});

it.each([
  ['[https://GH-7', '[https://GH-%37'],
  ['[see https://example.com/x/#7', '[see https://example.com/x/#%37'],
  ['https://example.com/page#7-b', 'https://example.com/page#%37-b'],
  ['](GH-7) ', ']\\(GH-%37) '],
  ['](#7)', '](#%37)'],
])('an address that may be plain text for GitHub holds no reference by strangers: %s', (text, cleaned) => {
  expect(sanitize(text, 'untrusted-comment', [])).toBe(cleaned);
  expect(sanitize(text, 'comment', [])).toBe(text);
  expect(sanitize('](octo/repo#7)', 'comment', [])).toBe('](octo/repo#%37)');
});
