import { Worker } from 'node:worker_threads';

/** Prism, as it runs for all suites of a run of tests, or for one program that is not a test. */
export interface PrismService {
  readonly port: number;
  stop(): Promise<unknown>;
}

/** The variable that tells suites where Prism listens. */
export const PRISM_PORT = 'AXE_ACTION_TEST_PRISM';

/**
 * Starts a thread that loads Prism when it is asked for the first time; it does not keep the
 * process alive.
 */
export async function startPrismService(): Promise<PrismService> {
  const worker = new Worker(new URL('./prism-worker.ts', import.meta.url), {
    execArgv: ['--no-warnings'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  worker.unref();
  return { port, stop: () => worker.terminate() };
}
