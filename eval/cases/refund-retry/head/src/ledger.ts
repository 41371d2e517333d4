export interface Entry {
  readonly order: string;
  readonly cents: number;
  readonly reason: string;
}

export interface Ledger {
  append(entry: Entry): Promise<void>;
  entriesOf(order: string): Promise<readonly Entry[]>;
}
