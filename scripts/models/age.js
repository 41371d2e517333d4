import { readFileSync } from 'node:fs';

const DAY_MS = 86_400_000;

/** The age that the figures of models can have when a version is released. */
export const MOST_DAYS = 14;

/** The date of a `models.json`, and its age in whole days; NaN if it has no date. */
export function ageInDays(file) {
  const { date } = JSON.parse(readFileSync(file, 'utf8'));
  return { date, days: Math.floor((Date.now() - Date.parse(date)) / DAY_MS) };
}
