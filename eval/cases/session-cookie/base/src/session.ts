import { randomBytes } from 'node:crypto';

export interface Store {
  get(id: string): { readonly account: string } | undefined;
  put(id: string, account: string): void;
}

export function startSession(store: Store, account: string): string {
  const id = randomBytes(24).toString('base64url');
  store.put(id, account);
  return `sid=${id}; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

export function accountOf(store: Store, id: string): string | undefined {
  return store.get(id)?.account;
}
