import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { replyToEnded } from '../../src/findings/post/finding-texts.js';
import { prepareReview } from '../../src/findings/post/prepare-review.js';
import { type Channel, sanitize } from '../../src/safety/sanitize.js';
import { placed } from '../findings/change.js';
import { known, NO_NEWS, posting } from '../findings/threads.js';
import {
  CODE,
  hostileMarkdown,
  liveIn,
  REFERENCE,
  referencesIn,
  renderMarkdown,
} from './rendered-markdown.js';

/** The weekly `npm run soak` draws others for an hour. */
const RUNS = 250;

describe('a cleaned text, read by a GFM parser', () => {
  const channels: readonly Channel[] = ['comment', 'untrusted-comment', 'summary'];
  it.each(channels)('contains no working mention, image, tag or closing word (%s)', (channel) => {
    fc.assert(
      fc.property(hostileMarkdown, (text) => {
        expect(liveIn(renderMarkdown(sanitize(text, channel, [])))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('links to no other thread if it might contain text by strangers', () => {
    fc.assert(
      fc.property(hostileMarkdown, (text) => {
        expect(referencesIn(renderMarkdown(sanitize(text, 'untrusted-comment', [])))).toEqual([]);
      }),
      { numRuns: RUNS },
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
  [
    'https://Closes: www.github.com/octo/repo/issues/1',
    /Closes: https:\/\/redirect\.github\.com\/octo/,
  ],
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
])(
  'an address that may be plain text for GitHub holds no reference by strangers: %s',
  (text, cleaned) => {
    expect(sanitize(text, 'untrusted-comment', [])).toBe(cleaned);
    expect(sanitize(text, 'comment', [])).toBe(text);
    expect(sanitize('](octo/repo#7)', 'comment', [])).toBe('](octo/repo#%37)');
  },
);

describe('a review, cut anywhere, read by a GFM parser', () => {
  /** What is posted where a text is a title, a trigger, a reason and a remark. */
  function live(text: string): readonly string[] {
    const ended = known({
      title: text,
      state: 'settled',
      why: 'fixed',
      reason: text,
      thread: undefined,
    });
    const fresh = [
      placed({ title: text, trigger: text }),
      placed({ title: text, path: 'other.ts' }),
    ];
    const clean = (markdown: string) => sanitize(markdown, 'untrusted-comment', []);
    const post = posting({ clean, remarks: [text], news: { ...NO_NEWS, fresh, ended: [ended] } });
    const { body, comments } = prepareReview(post);
    return [body, ...comments.map((comment) => comment.body), replyToEnded(ended, post) ?? '']
      .map((said) => renderMarkdown(said.replace(/^<!-- .* -->/, '')))
      .flatMap((rendered) => [...liveIn(rendered), ...referencesIn(rendered)]);
  }

  it.each([
    [
      'a title',
      `${'f'.repeat(140)} \`![x](https://e.example/p?s) @octocat #7 <b>x</b> and more and more\``,
    ],
    ['a remark', `${'f'.repeat(960)} \`docs/z5 @octocat #7 ddddddddddddddddddddddddddd/style.md\``],
    ['a cell of a table', 'Compare `a \\| @octocat fixes #7` wrong'],
    ['a fence', '~~~#7'],
  ])('holds nothing that works: %s', (_, text) => {
    expect(live(text)).toEqual([]);
  });

  it('holds nothing that works', () => {
    const filler = fc.oneof(fc.nat(220), fc.integer({ min: 900, max: 1000 }));
    fc.assert(
      fc.property(filler, hostileMarkdown, (length, text) => {
        expect(live('f'.repeat(length) + text)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
