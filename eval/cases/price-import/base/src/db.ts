export interface Db {
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}
