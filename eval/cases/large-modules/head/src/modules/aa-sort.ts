export function rising(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted();
}
