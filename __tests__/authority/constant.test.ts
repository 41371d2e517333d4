import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formatMark } from '../../src/safety/mark.js';
import { findingLine, reviewLine } from '../helpers/marks.js';

const SRC = resolve(import.meta.dirname, '../../src');
const TEXTS = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [file, readFileSync(join(SRC, file), 'utf8')] as const);

describe('the constant that has every right', () => {
  it('is read by one function', () => {
    const reading = TEXTS.flatMap(([file, text]) =>
      [...text.matchAll(/(?<!@link )\bRIGHTS\b/g)].map(() => file),
    );
    // Its definition, and the function that reads it.
    expect(reading).toEqual(['event/trust.ts', 'event/trust.ts']);
    const [, trust = ''] = TEXTS.find(([file]) => file === 'event/trust.ts') ?? [];
    expect(trust).toMatch(/export function rightsOf\([^}]*\bRIGHTS\b/);
  });

  it('is the only place that compares a word of trust to decide a right', () => {
    const comparing = TEXTS.filter(([, text]) =>
      /(?:word|begun) [!=]== '(?:own|mixed|guest|fork)'/.test(text),
    );
    expect(comparing.map(([file]) => file)).toEqual(['event/trust.ts']);
  });
});

it('no text of ours says how far it is trusted', () => {
  const lines = [findingLine(), reviewLine({ agent: 'bot', head: 'a' }), formatMark({ kind: 'x' })];
  for (const line of lines) expect(line).not.toMatch(/"(?:lane|level|trust|word)"/);
  const marks = TEXTS.filter(([, text]) => /\b(?:MarkLane|laneOf|TaintTracker|taint)\b/.test(text));
  expect(marks.map(([file]) => file)).toEqual([]);
});
