import { type Account, label } from './account.js';

export function labels(accounts: readonly Account[]): readonly string[] {
  return accounts.map(label);
}
