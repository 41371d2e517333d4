/** A whole number for people, `24,730`. A first `toLocaleString` loads the data of all languages: 10 ms of every run. */
export function grouped(number: number): string {
  const digits = Math.round(number).toFixed(0);
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A duration for people: `4.2 s`, `41 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** How long one step took, which can be much less than a second: `12 ms`, `4.2 s`. */
export function stepDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms);
}

/** `1 entry`, `2 entries`, `1,204 calls`. */
export function count(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  return `${grouped(number)} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** An amount of US dollars for people: cents, and the digits after them of what is less than a dollar. */
export function usd(amount: number): string {
  const digits = amount >= 1 ? 2 : amount === 0 || amount >= 0.0001 ? 4 : 6;
  return `$${amount.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
