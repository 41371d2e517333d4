export interface Price {
  readonly sku: string;
  readonly cents: number;
}

export function byRising(prices: readonly Price[]): readonly Price[] {
  return prices.toSorted((a, b) => a.cents - b.cents);
}
