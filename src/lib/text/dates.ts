/** The day of a time, `YYYY-MM-DD`, in UTC. */
export function dateOf(time: Date | number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const timeMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(timeMs) && dateOf(timeMs) === text;
}
