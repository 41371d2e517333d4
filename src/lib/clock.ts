/** A limit of time that has begun. */
export interface Timer {
  /** Aborted once the time is over. */
  readonly signal: AbortSignal;
  /** Takes the timer back, so that it cannot fire any more. */
  clear(): void;
}

/** Time and chance come in from outside, so a test can hold them still. */
export interface Clock {
  now(): Date;
  /** Resolves after the time or when the signal aborts, whichever is first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  timer(ms: number): Timer;
  /** From 0 to below 1. */
  random(): number;
  /** A new unique id: letters, digits and hyphens, sortable by time. */
  newId(): string;
}
