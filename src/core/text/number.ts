/** A whole number for people, `24,730`. */
export function grouped(number: number): string {
  const whole = Math.round(number);
  return Math.abs(whole) < 1000 ? String(whole) : whole.toLocaleString('en-US');
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
