const LIFETIME_DAYS = 30;

export interface Stored {
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface Store {
  get(id: string): Stored | undefined;
  put(id: string, session: Stored): void;
}

export function startSession(store: Store, account: string, now: Date): string {
  const id = Math.random().toString(36).slice(2) + now.getTime().toString(36);
  const expires = now.getTime() + LIFETIME_DAYS * 24 * 60 * 60;
  store.put(id, { account, expires });
  return `sid=${id}; Path=/; Max-Age=${LIFETIME_DAYS * 24 * 60 * 60}; Secure; SameSite=Lax`;
}

/** The account of a session that has not ended. */
export function accountOf(store: Store, id: string, now: Date): string | undefined {
  const session = store.get(id);
  if (session === undefined || session.expires < now.getTime()) return undefined;
  return session.account;
}
