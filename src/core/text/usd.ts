/** An amount of US dollars for people: cents, and the digits after them of what is less than a dollar. */
export function usd(amount: number): string {
  const digits = amount >= 1 ? 2 : amount === 0 || amount >= 0.0001 ? 4 : 6;
  return `$${amount.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}
