import type { Db } from './db.js';
import type { Price } from './prices.js';

/** Reads `sku;price` lines, with a comma in the price as suppliers write it. */
export function parsePrices(csv: string): readonly Price[] {
  return csv
    .split('\n')
    .slice(1)
    .map((line) => line.split(';'))
    .map(([sku = '', price = '']) => ({ sku: sku.trim(), cents: toCents(price) }));
}

function toCents(text: string): number {
  return Math.floor(Number(text.replace(',', '.')) * 100);
}

/** Writes prices; those that are there are replaced. */
export async function importPrices(db: Db, csv: string): Promise<number> {
  const prices = parsePrices(csv);
  for (const { sku, cents } of prices) {
    await db.query(`insert into price (sku, cents) values ('${sku}', ${cents})
      on conflict (sku) do update set cents = ${cents}`);
  }
  return prices.length;
}
