import type { Db } from './store.js';

export async function nameOf(db: Db, id: string): Promise<string> {
  const row = await db.one('select name from user where id = ?', [id]);
  return row === undefined ? '' : String(row['name']);
}
