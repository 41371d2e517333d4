export interface Db {
  one(sql: string, values: readonly unknown[]): Promise<Record<string, unknown> | undefined>;
  run(sql: string, values: readonly unknown[]): Promise<void>;
}
