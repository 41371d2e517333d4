const NOBODY = 65_534;

/** The superuser is denied nothing; the call then runs as somebody else. */
export async function asNobody<T>(call: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await call();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
