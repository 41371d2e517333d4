import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findTokens } from '../../src/safety/secrets.js';

const FILE = join(import.meta.dirname, '../fixtures/token-samples.json');
const { tokens }: { tokens: Record<string, string> } = JSON.parse(readFileSync(FILE, 'utf8'));

it.each(Object.entries(tokens))('a token is known by its shape: %s', (_, backwards) => {
  const token = [...backwards].reverse().join('');
  const text = `key = "${token}", and more`;
  const hidden = findTokens(text).map(({ start, end }) => text.slice(start, end));
  // An end that its shape leaves open may stay, as the digits of a checksum.
  expect(hidden.some((part) => part.length > token.length * 0.9)).toBe(true);
});

it.each([
  'pat.ern',
  'SKIPPED',
  'API-VERSION',
  'sha256-abc',
  'do_v1',
  'glance-at',
  'shape_and_size',
  's.length',
])('a word is none: %s', (word) => {
  expect(findTokens(`${word} ${word}_${word}.${word}`)).toEqual([]);
});
