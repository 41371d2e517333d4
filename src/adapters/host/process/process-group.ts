/** Kills a process group, by the id of its leader; that it is gone already, or another user's, is not a problem. */
export function killGroup(id: number): void {
  try {
    // A negative id is the whole group.
    process.kill(-id, 'SIGKILL');
  } catch {
    // Nothing is left that could be killed.
  }
}
