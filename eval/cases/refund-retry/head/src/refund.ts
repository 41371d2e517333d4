import type { Ledger } from './ledger.js';

export interface Provider {
  refund(order: string, cents: number): Promise<{ readonly id: string }>;
}

interface Parts {
  readonly provider: Provider;
  readonly ledger: Ledger;
}

const ATTEMPTS = 3;
const WAIT_MS = 500;

/** Pays an order back and books it; tries again where the provider is slow. */
export async function refund(order: string, cents: number, parts: Parts): Promise<string> {
  let last: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      return await attemptRefund(order, cents, parts);
    } catch (error) {
      last = error;
      await wait(WAIT_MS * attempt);
    }
  }
  throw last;
}

async function attemptRefund(order: string, cents: number, { provider, ledger }: Parts): Promise<string> {
  await ledger.append({ order, cents: -cents, reason: 'refund' });
  const { id } = await withTimeout(provider.refund(order, cents), 5_000);
  return id;
}

/** Rejects where a promise takes longer. */
async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
