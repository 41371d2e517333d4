/** Minimum and median of some figures. */
export function figures(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)] };
}

/** `median 97.1 ms (min 93.0)`. */
export function showMs(values) {
  const { min, median } = figures(values);
  return `median ${median.toFixed(1)} ms (min ${min.toFixed(1)})`;
}

/** A left column as wide as the widest label. */
export function rows(pairs) {
  const width = Math.max(...pairs.map(([label]) => label.length));
  return pairs.map(([label, text]) => `${label.padEnd(width)}  ${text}`);
}
