import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { CASES as CASES_FOLDER, countKinds, loadCases } from '../../eval/load.js';
import { isMeant } from '../../eval/match.js';
import { makeVersions } from '../../eval/versions.js';
import { tempDir } from '../helpers/temp.js';
import { FAULT, makeCase } from './samples.js';

const CASES = loadCases();

it('the cases cover each kind, in eight languages', () => {
  expect(Object.fromEntries(countKinds(CASES))).toEqual({
    seeded: 26,
    clean: 14,
    lifecycle: 18,
    lesson: 8,
    injection: 6,
    large: 2,
  });
  expect(new Set(CASES.map(({ about }) => about.language)).size).toBe(8);
});

it.each(['base', 'head'])('a case without its folder %s is refused', (missing) => {
  const folder = tempDir();
  cpSync(join(CASES_FOLDER, 'refund-retry'), join(folder, 'refund-retry'), { recursive: true });
  rmSync(join(folder, 'refund-retry', missing), { recursive: true });
  expect(() => loadCases(folder)).toThrow(`refund-retry has no folder ${missing}`);
});

it.each(CASES)('$about.name has every version that its steps name', (one) => {
  const { first, pushes, pulls } = makeVersions(one);
  expect(first.diff).toMatch(/^diff --git /);
  for (const version of [...pushes.values(), ...pulls.values()]) {
    expect(version.diff).toMatch(/^diff --git /);
    expect(version.fresh).toMatch(/^diff --git /);
  }
  for (const { path, lines } of one.about.expect) {
    expect(first.head[path]?.split('\n').length).toBeGreaterThanOrEqual(lines[1]);
  }
});

it.each(CASES.flatMap(({ about }) => (about.expect.length > 0 ? [about] : [])))(
  '$name words its defects so that they are recognized',
  ({ expect: faults }) => {
    for (const fault of faults) {
      const isSeen = (text: string) =>
        isMeant(fault, { path: fault.path, line: fault.lines[0], text });
      expect(fault.wordings.filter((text) => !isSeen(text))).toEqual([]);
    }
  },
);

it('large changes are written that do not fit one window', () => {
  for (const one of CASES.filter(({ about }) => about.kind === 'large')) {
    expect(makeVersions(one).first.diff.length / 4).toBeGreaterThan(140_000);
  }
});

it.each([
  ['an unknown key', { expects: [] }, 'expects'],
  ['lines the wrong way round', { expect: [{ ...FAULT, lines: [9, 8] }] }, 'expect.0.lines'],
  ['a fault twice', { expect: [FAULT, FAULT] }, 'one id'],
  ['a step about an unknown defect', { steps: [{ push: 2, open: ['e9'] }] }, 'e9'],
  ['a clean change with a fault', { kind: 'clean' }, 'nothing to find'],
])('a wrong case is refused with its place: %s', (_, patch, word) => {
  expect(() => makeCase(patch)).toThrow(word);
});
