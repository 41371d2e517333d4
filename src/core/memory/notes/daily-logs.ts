import { dateOf, isDate } from '../../text/dates.js';
import { flatDailyPath, type NotesPlaces, pathOf } from './place.js';

/** A daily log; `text` is empty where there is none. */
export interface DailyLog {
  readonly date: string;
  readonly text: string;
}

/** Which days are wanted. */
export interface DailyChoice {
  readonly places: NotesPlaces;
  /** `YYYY-MM-DD`, in UTC. */
  readonly today: string;
  /** `calendar`: today and yesterday; `recent`: the two newest days that hold anything, but none to come. */
  readonly daily: 'calendar' | 'recent';
}

/** The two daily logs a prompt shows, the newer one first. */
export function dailyLogs(
  files: ReadonlyMap<string, string>,
  choice: DailyChoice,
): readonly [DailyLog, DailyLog] {
  const { today } = choice;
  const log = (date: string): DailyLog => ({ date, text: textOfDay(files, date, choice.places) });
  switch (choice.daily) {
    case 'calendar':
      return [log(today), log(dayBefore(today))];
    case 'recent': {
      const written = daysOf(files, choice).map(log);
      const [newer, older] = written.filter(({ text }) => text.trim() !== '');
      return [newer ?? { date: today, text: '' }, older ?? { date: dayBefore(today), text: '' }];
    }
  }
}

/** A day is read from the flat place where it has no text at its own (D37). */
function textOfDay(files: ReadonlyMap<string, string>, date: string, places: NotesPlaces): string {
  const own = files.get(pathOf({ kind: 'daily', date }, places)) ?? '';
  return own === '' ? (files.get(flatDailyPath(date)) ?? '') : own;
}

/** Newest first. */
function daysOf(files: ReadonlyMap<string, string>, { places, today }: DailyChoice): readonly string[] {
  const days = [...files.keys()].flatMap((path) => {
    const date = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
    const isDay = isDate(date) && date <= today;
    const isOurs = path === flatDailyPath(date) || path === pathOf({ kind: 'daily', date }, places);
    return isDay && isOurs ? [date] : [];
  });
  return [...new Set(days)].sort().reverse();
}

const DAY_MS = 24 * 60 * 60 * 1000;

function dayBefore(date: string): string {
  return dateOf(Date.parse(`${date}T00:00:00Z`) - DAY_MS);
}
