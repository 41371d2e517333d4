export interface Account {
  readonly id: string;
  readonly email: string;
}

export function label(account: Account): string {
  return `${account.email} (${account.id})`;
}
