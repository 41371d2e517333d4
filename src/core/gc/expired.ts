import { noteKind } from '../memory/notes/place.js';
import { dateOf } from '../text/dates.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The daily logs among these places of the tree that are older than so many days; 0 keeps all of them. Those of the
 * current month stay, whatever their age.
 */
export function expiredDailyLogs(
  paths: readonly string[],
  retentionDays: number,
  now: Date,
): readonly string[] {
  if (retentionDays <= 0) return [];
  const month = dateOf(now).slice(0, 7);
  return paths.filter((path) => {
    if (noteKind(path) !== 'daily') return false;
    const date = path.slice(-'YYYY-MM-DD.md'.length, -'.md'.length);
    return (
      !date.startsWith(month) && now.getTime() - Date.parse(`${date}T00:00:00Z`) > retentionDays * DAY_MS
    );
  });
}
