export function median(numbers: readonly number[]): number {
  const ordered = numbers.toSorted((a, b) => a - b);
  return ordered[ordered.length / 2] ?? 0;
}
