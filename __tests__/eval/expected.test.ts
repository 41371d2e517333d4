import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { differences, writeExpected } from '../../eval/expected.js';
import type { SettingResult } from '../../eval/report.js';
import { scoreCase } from '../../eval/score.js';
import { tempDir } from '../helpers/temp.js';
import { makeCase, makePlayed, makePosted } from './samples.js';

function resultWith(posted: number): SettingResult {
  const findings = Array.from({ length: posted }, (_, index) =>
    makePosted({ id: `${index}`, line: 11 + 20 * index }),
  );
  const scores = [scoreCase(makePlayed(makeCase(), { posted: findings }))];
  return { setting: 'scripted answers', scores, incomplete: [], isOfModel: false };
}

it('the comparison names each figure that differs from the expected one, and no other', () => {
  const file = join(tempDir('expected'), 'expected.json');
  writeExpected([resultWith(1)], file);
  expect(differences([resultWith(1)], file)).toEqual([]);
  expect(differences([resultWith(0)], file)).toEqual([
    'scripted answers, posted: expected 1, got 0',
    'scripted answers, onLines: expected 1, got 0',
    'scripted answers, precision, count: expected 1, got 0',
    'scripted answers, precision, of: expected 1, got 0',
    'scripted answers, precisionMajor, count: expected 1, got 0',
    'scripted answers, precisionMajor, of: expected 1, got 0',
    'scripted answers, recall, count: expected 1, got 0',
    'scripted answers, recallBySeverity, critical, count: expected 1, got 0',
    'scripted answers, severityOff, of: expected 1, got 0',
    'scripted answers, placed, count: expected 1, got 0',
    'scripted answers, placed, of: expected 1, got 0',
  ]);
});

it('a figure that was never expected is a difference', () => {
  const file = join(tempDir('expected'), 'none.json');
  expect(differences([resultWith(1)], file)).toEqual([
    expect.stringMatching(/^scripted answers: expected undefined, got /),
  ]);
});
