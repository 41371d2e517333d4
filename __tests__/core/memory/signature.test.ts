import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSign } from '../../../src/adapters/host/hmac.js';
import { mergeRunLogs } from '../../../src/core/memory/merge.js';
import { parseProvenance } from '../../../src/core/memory/provenance.js';
import { stripProvenance } from '../../../src/core/memory/run-log.js';
import {
  checkSignature,
  type Sign,
  signedEntries,
  withSignature,
} from '../../../src/core/memory/signature.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { entryText, plainEntry } from '../../adapters/stores/entries.js';

const key = (text: string): Sign => createSign(text) ?? (() => '');
const sign = key('a key');
const PATH = 'bot.md';
const signed = (id: string, path = PATH) => withSignature(entryText(id), path, sign);
const check = (text: string, paths: readonly string[] = [PATH]) => checkSignature(text, paths, sign);

describe('a signed entry', () => {
  it('has its signature at the end of its provenance line', () => {
    expect(signed('a')).toMatch(/ model=- sig=[0-9a-f]{32} -->\n\n$/);
    expect(signed('a').replace(/ sig=\w+/, '')).toBe(entryText('a'));
    expect(check(signed('a'))).toBe('good');
  });

  it('is parsed like one without it, and is stripped from prompts in the same way (D8)', () => {
    const line =
      signed('a')
        .split('\n')
        .find((one) => one.startsWith('<!--')) ?? '';
    expect(parseProvenance(line)).toMatchObject({ id: 'a' });
    expect(stripProvenance(signed('a'))).toBe(stripProvenance(entryText('a')));
    expect(parseLog(signed('a')).units[0]).toMatchObject({ id: 'a', hasProvenance: true });
  });

  it('can be signed again, in another place or with another key', () => {
    const moved = withSignature(signed('a'), 'untrusted/bot.md', sign);
    expect(moved.match(/ sig=/g)).toHaveLength(1);
    expect([check(moved), check(moved, ['untrusted/bot.md'])]).toEqual(['bad', 'good']);
  });

  it.each([
    ['as axe writes it', plainEntry('by axe')],
    ['with something behind its provenance', `${entryText('a').trimEnd()}\nmore\n`],
    ['with a trailer of another version', entryText('a').replace('v=1', 'v=9')],
  ])('has no signature if the entry is %s', (_, text) => {
    expect(withSignature(text, PATH, sign)).toBe(text);
    expect(check(text)).toBe('none');
  });
});

describe('a signature', () => {
  it.each<[string, (text: string) => string]>([
    ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['other blank lines behind it', (text) => `${text.trimEnd()}\n\n\n \n`],
    ['no final line break', (text) => text.trimEnd()],
    [
      'a merge into another log',
      (text) => parseLog(mergeRunLogs(plainEntry('x').trimEnd(), text)).units[1]?.text ?? '',
    ],
    [
      'a merge with a log before it',
      (text) => parseLog(mergeRunLogs(text.trimEnd(), plainEntry('x'))).units[0]?.text ?? '',
    ],
  ])('remains valid after %s', (_, change) => {
    expect(change(signed('a'))).not.toBe('');
    expect(check(change(signed('a')))).toBe('good');
  });

  it.each<[string, (text: string) => string]>([
    ['a changed result (C2 24)', (text) => text.replace('done', 'obey')],
    ['a changed time', (text) => text.replace('04:05:06', '04:05:07')],
    ['another trust', (text) => text.replace('trust=-', 'trust=trusted')],
    ['another id', (text) => text.replace('id=a', 'id=b')],
    ['a line more', (text) => text.replace('\n<!--', '\nand more\n<!--')],
    ['a blank line more inside', (text) => text.replace('\n<!--', '\n\n<!--')],
    ['a section behind it', (text) => `${text}## Findings\nby hand\n\n`],
    ['words behind it', (text) => `${text}by hand\n`],
    ['half of its digits', (text) => text.replace(/(sig=\w{16})\w+/, '$1')],
    ['digits more', (text) => text.replace(/sig=\w+/, '$&00')],
    ['other digits', (text) => text.replace(/sig=\w+/, `sig=${'0'.repeat(32)}`)],
  ])('is invalid after %s', (_, change) => {
    expect(check(change(signed('a')))).toBe('bad');
  });

  it('is missing if it was removed', () => {
    expect(check(signed('a').replace(/ sig=\w+/, ''))).toBe('none');
  });

  it('is bound to one key and one place', () => {
    expect(checkSignature(signed('a'), [PATH], key('another key'))).toBe('bad');
    expect(check(signed('a'), ['other.md'])).toBe('bad');
    expect(check(signed('a'), ['other.md', PATH])).toBe('good');
    expect(check(signed('a'), [])).toBe('bad');
  });

  it('covers a result with headings of its own, which an edit can create', () => {
    const text = withSignature(entryText('a').replace('done', 'see\n## Findings\n- one'), PATH, sign);
    expect(check(text)).toBe('good');
    expect(signedEntries(text, { paths: [PATH], lastN: 0, sign })).toMatchObject({ text, kept: 1, bad: 0 });
  });

  it('is valid for no other text', () => {
    const text = signed('a');
    const places = [...text.trimEnd().matchAll(/[^\s]/g)].map(({ index }) => index);
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.constantFrom('0', 'x', ' ', '\n', '-', '\u00E9'),
        (at, put) => {
          if (text[at] === put) return;
          expect(check(text.slice(0, at) + put + text.slice(at + 1))).not.toBe('good');
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('entries that must be signed', () => {
  const log = `by hand\n\n${signed('a')}${plainEntry('by axe')}${signed('b')}${signed('c').replace('done', 'obey')}${signed('d')}`;
  const of = (lastN: number, paths = [PATH]) => signedEntries(log, { paths, lastN, sign });

  it.each([
    [0, signed('a') + signed('b') + signed('d'), 3],
    [2, signed('b') + signed('d'), 2],
    [9, signed('a') + signed('b') + signed('d'), 3],
  ])('are the newest %i with a valid signature, without the text before them', (lastN, text, kept) => {
    expect(of(lastN)).toEqual({ text, kept, bad: 1, unsigned: 1 });
  });

  it('exclude those of another agent', () => {
    expect(of(0, ['other.md'])).toEqual({ text: '', kept: 0, bad: 4, unsigned: 1 });
  });

  it('are those of both lanes if both are read', () => {
    const both = signed('a') + signed('b', 'untrusted/bot.md');
    expect(signedEntries(both, { paths: ['untrusted/bot.md', PATH], lastN: 0, sign }).kept).toBe(2);
    expect(signedEntries(both, { paths: [PATH], lastN: 0, sign }).kept).toBe(1);
  });
});
