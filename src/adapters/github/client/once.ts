/**
 * Asks once and remembers the answer; a failure is forgotten, so that the next one asks again. Who waits for somebody
 * else's question waits with that one's signal.
 */
export function once<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): (signal: AbortSignal) => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return (signal) => {
    if (asked !== undefined) return asked;
    const asking = ask(signal);
    asked = asking;
    asking.catch(() => {
      if (asked === asking) asked = undefined;
    });
    return asking;
  };
}
