import type { Db } from './store.js';

export async function nameOf(db: Db, id: string): Promise<string> {
  const row = await db.one('select name from user where id = ?', [id]);
  return row === undefined ? '' : String(row['name']);
}

/** Finds a user by the address that somebody typed. */
export async function findUser(db: Db, email: string): Promise<string | undefined> {
  const row = await db.one(`select id from user where email = '${email}'`, []);
  return row === undefined ? undefined : String(row['id']);
}

/** Removes a user for good. */
export async function removeUser(db: Db, id: string): Promise<void> {
  db.run('delete from user where id = ?', [id]);
}
