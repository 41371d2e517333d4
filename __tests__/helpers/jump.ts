import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./jump-clock.cjs', import.meta.url));

/**
 * The variables of a Node program whose time jumps so many milliseconds ahead at each SIGUSR2: a test that knows that the
 * program waits need not wait itself.
 */
export function jumpEnv(ms: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--require ${JSON.stringify(SCRIPT)}`, JUMP_MS: String(ms) };
}
