import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figures, figuresOf } from './figures.js';
import type { SettingResult } from './report.js';

/** The figures that evaluations without a model must come to. */
export const EXPECTED_FILE = join(import.meta.dirname, 'expected.json');

type ExpectedFigures = Readonly<Record<string, Figures>>;

/** Where the figures of settings are not the expected ones, each as a line. */
export function differences(
  results: readonly SettingResult[],
  file = EXPECTED_FILE,
): readonly string[] {
  const expected: ExpectedFigures = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return results.flatMap(({ setting, scores }) =>
    compare(expected[setting], figuresOf(scores), setting),
  );
}

/** Takes the figures of settings for the expected ones. */
export function writeExpected(results: readonly SettingResult[], file = EXPECTED_FILE): void {
  const figures = Object.fromEntries(
    results.map(({ setting, scores }) => [setting, figuresOf(scores)]),
  );
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function compare(expected: unknown, got: unknown, at: string): readonly string[] {
  if (!isObject(expected) || !isObject(got)) {
    return expected === got
      ? []
      : [`${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`];
  }
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
  return keys.flatMap((key) => compare(expected[key], got[key], `${at}, ${key}`));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
