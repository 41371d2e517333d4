/**
 * Asks once and remembers the answer; a failure is forgotten, so that the next one asks again. Who waits for somebody
 * else's question waits with that one's signal.
 */
export function once<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): (signal: AbortSignal) => Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  return (signal) => {
    if (pending !== undefined) return pending;
    const asking = ask(signal);
    pending = asking;
    asking.catch(() => {
      if (pending === asking) pending = undefined;
    });
    return asking;
  };
}
