/** A share and the interval that it is in with 95 % certainty. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** 95 %. */
const Z = 1.959964;

/** Wilson's interval: it stays between 0 and 1 and holds for few cases too; undefined for none. */
export function wilson(count: number, of: number): Interval | undefined {
  if (of === 0) return undefined;
  const share = count / of;
  const spread = (Z * Z) / of;
  const middle = share + spread / 2;
  const half = Z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of));
  return {
    low: Math.max(0, (middle - half) / (1 + spread)),
    high: Math.min(1, (middle + half) / (1 + spread)),
  };
}

/**
 * McNemar's exact test: how likely it is that two settings that are equally good differ as much,
 * where one alone was right `onlyFirst` times and the other alone `onlySecond` times.
 */
export function mcNemar(onlyFirst: number, onlySecond: number): number {
  const differing = onlyFirst + onlySecond;
  const fewer = Math.min(onlyFirst, onlySecond);
  let term = 0.5 ** differing;
  let tail = 0;
  for (let k = 0; k <= fewer; k += 1) {
    tail += term;
    term *= (differing - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}
