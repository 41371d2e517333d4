import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatProvenance, parseProvenance } from '../../src/memory/provenance.js';

const complete = {
  id: '01jd-x',
  run: '123456/2',
  job: 'review',
  event: 'pull_request',
  sha: '1a2b3c4d5e6f',
  actor: 'octocat',
  trust: 'trusted',
  model: 'openrouter/anthropic/claude:beta',
};

describe('formatProvenance', () => {
  it('writes one HTML comment with the fields in a fixed order', () => {
    expect(formatProvenance(complete)).toBe(
      '<!-- axe-action v=1 id=01jd-x run=123456/2 job=review event=pull_request sha=1a2b3c4 actor=octocat trust=trusted model=openrouter/anthropic/claude:beta -->',
    );
  });

  it('writes a hyphen for what is missing', () => {
    expect(formatProvenance({ ...complete, sha: undefined, actor: '' })).toContain(' sha=- actor=- ');
  });

  it.each([
    ['github-actions[bot]', 'github-actions%5Bbot%5D'],
    ['a b', 'a%20b'],
    ['a--b', 'a-%2Db'],
    ['---', '-%2D%2D'],
    ['-', '%2D'],
    ['-->', '-%2D%3E'],
    ['\u00e9', '%C3%A9'],
    ['\uD83D', '%EF%BF%BD'],
    ["!'()*~", '%21%27%28%29%2A%7E'],
    ['100%', '100%25'],
    ['x\ny', 'x%0Ay'],
  ])('encodes %j as %s', (actor, expected) => {
    expect(formatProvenance({ ...complete, actor })).toContain(` actor=${expected} trust=`);
  });

  it('never lets a value end the comment, and reads back what was written', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
      fc
        .array(fc.constantFrom('-', '>', '<!--', '-->', ' ', '\n', '%', '%2'), { minLength: 1 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(value, value, (job, model) => {
        const line = formatProvenance({ ...complete, job, model });
        expect(line.slice(4, -3)).not.toMatch(/--|>|\n/);
        const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\uFFFD');
        expect(parseProvenance(line)).toEqual({
          ...complete,
          sha: '1a2b3c4',
          job: wellFormed(job),
          model: wellFormed(model),
        });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('parseProvenance', () => {
  it.each([
    '',
    '<!-- axe-action v=1 -->',
    ` ${formatProvenance(complete)}`,
    `${formatProvenance(complete)} `,
    formatProvenance(complete).replace('v=1', 'v=2'),
    formatProvenance(complete).replace('job=review', 'job='),
    formatProvenance(complete).replace('job=review', 'job=a b'),
    `${formatProvenance(complete)}\n`,
  ])('does not read %j as one of our lines', (line) => {
    expect(parseProvenance(line)).toBeUndefined();
  });

  it('reads a line that ends in a carriage return', () => {
    expect(parseProvenance(`${formatProvenance(complete)}\r`)?.id).toBe('01jd-x');
  });
});
