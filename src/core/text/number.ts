/** A whole number for people, `24,730`. */
export function grouped(number: number): string {
  return number.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** A duration for people: `4.2 s`, `41 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
