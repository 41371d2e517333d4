/** Signals that ask the program to end, with the exit status by which shells report them. */
export const STOP_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** One of {@link STOP_STATUS}. */
export type StopSignal = keyof typeof STOP_STATUS;

const SIGNALS: readonly StopSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** Calls listeners back when a signal asks the program to end; a second signal ends it at once. */
export function createSignalListener(): (interrupted: (signal: StopSignal) => void) => void {
  const listeners: ((signal: StopSignal) => void)[] = [];
  let received: StopSignal | undefined;
  const receive = (signal: StopSignal): void => {
    if (received !== undefined) process.exit(STOP_STATUS[signal]);
    received = signal;
    for (const interrupted of listeners) interrupted(signal);
  };
  return (interrupted) => {
    if (listeners.length === 0) for (const signal of SIGNALS) process.on(signal, receive);
    listeners.push(interrupted);
    if (received !== undefined) interrupted(received);
  };
}

/**
 * Ends the program by the signal that a status stands for, once its output is written: a shell then knows that its own
 * loop is to end too. As the first process of a container it cannot be ended by a signal; there the status is all.
 */
export function endBySignal(status: number): void {
  const signal = SIGNALS.find((name) => STOP_STATUS[name] === status);
  if (signal === undefined) return;
  process.stdout.write('', () => {
    process.stderr.write('', () => {
      process.removeAllListeners(signal);
      if (process.platform !== 'win32') process.kill(process.pid, signal);
      process.exit(status);
    });
  });
}
