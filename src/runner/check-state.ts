import * as v from 'valibot';
import type { Environment } from '../lib/environment.js';
import { CHECK_STATE } from './pending-state.js';
import { keepState } from './runner-file.js';

const Left = v.object({
  owner: v.string(),
  name: v.string(),
  headSha: v.string(),
  agent: v.string(),
});

/** A check that was begun, as the post step finds it if nobody has ended it. */
type LeftCheck = v.InferOutput<typeof Left>;

/** Notes that a check is about to be begun, and waits for its end; undefined: it has ended. */
export async function keepCheck(check: LeftCheck | undefined): Promise<void> {
  await keepState(CHECK_STATE, check === undefined ? '' : JSON.stringify(check));
}

/** The check that a killed main step left in progress; anything odd counts as none. */
export function readLeftCheck(env: Environment): LeftCheck | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Left), env[`STATE_${CHECK_STATE}`]);
  return parsed.success ? parsed.output : undefined;
}
