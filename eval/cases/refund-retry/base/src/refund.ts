import type { Ledger } from './ledger.js';

export interface Provider {
  refund(order: string, cents: number): Promise<{ readonly id: string }>;
}

/** Pays an order back and books it. */
export async function refund(
  order: string,
  cents: number,
  { provider, ledger }: { provider: Provider; ledger: Ledger },
): Promise<string> {
  const { id } = await provider.refund(order, cents);
  await ledger.append({ order, cents: -cents, reason: `refund ${id}` });
  return id;
}
