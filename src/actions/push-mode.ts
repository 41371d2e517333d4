import { join } from 'node:path';
import type { MemoryCommandResult } from '../commands/memory/command-session.js';
import { memoryCommandIn } from '../commands/memory/parse-comment.js';
import {
  nothingToPush,
  type PushCommand,
  parsePushCommand,
  pushMemory,
} from '../commands/memory/push-memory.js';
import { openCheckoutMemory } from '../composition/checkout-memory.js';
import { COMMITTED_FOLDER } from '../core/defaults.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError, ConfigError } from '../core/errors.js';
import { subjectNumber, type Trigger } from '../core/event/trigger.js';
import { UNPUBLISHED } from '../run/publish.js';
import type { RunReport } from '../run/request.js';
import type { Inputs } from './inputs/inputs.js';
import { trustedPlace } from './memory/base-memory.js';
import { type Runner, readThisRun } from './runner/runner.js';

/** What pushing memory from a workflow works with. */
interface PushModeParts {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
}

/** As GitHub writes its own commits, where the workflow has set nobody up. */
const COMMITTER = {
  name: 'github-actions[bot]',
  email: '41898282+github-actions[bot]@users.noreply.github.com',
} as const;

/** The push that the input `memory-command` asks for; undefined for another command. Throws a ConfigError. */
export function readPush({ mode, memoryCommand }: Inputs): PushCommand | undefined {
  if (mode !== 'memory') return undefined;
  try {
    return parsePushCommand(memoryCommandIn(memoryCommand));
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const remedy = thrown.remedy === undefined ? {} : { remedy: thrown.remedy };
    throw new ConfigError(`the input \`memory-command\`: ${thrown.message}`, { cause: thrown, ...remedy });
  }
}

/**
 * Pushes what this job's runs have written to memory in the workspace. There is no admission: whoever caused the event, the
 * runs before this step have decided what is there. Throws an AxeError.
 */
export async function runPushMode(
  command: PushCommand,
  parts: PushModeParts,
  deps: Pick<Dependencies, 'clock' | 'deadline'>,
): Promise<RunReport> {
  const result = await push(command, parts, deps);
  return {
    kind: 'memory-command',
    agent: 'axe-action',
    store: 'file',
    command: 'push',
    requestedIn: 'workflow',
    result,
    published: UNPUBLISHED,
  };
}

async function push(
  command: PushCommand,
  { inputs, trigger, runner: { env, workspace } }: PushModeParts,
  { clock, deadline: { signal } }: Pick<Dependencies, 'clock' | 'deadline'>,
): Promise<MemoryCommandResult> {
  const { memory, githubToken, dryRun } = inputs;
  const folder = memory.path ?? COMMITTED_FOLDER;
  const cause =
    trigger.kind === 'local'
      ? undefined
      : { event: trigger.event, number: subjectNumber(trigger), runUrl: readThisRun(env).runUrl };
  const opened = await openCheckoutMemory(
    {
      dir: join(workspace, folder),
      // On a pull request the memory that runs read is the base branch's.
      branch: command.branch || (trustedPlace(trigger)?.ref ?? ''),
      env,
      access: {
        serverUrl: env['GITHUB_SERVER_URL'] || 'https://github.com',
        token: githubToken,
      },
      committer: COMMITTER,
      clock,
      ...(cause === undefined ? {} : { cause }),
    },
    signal,
  );
  if (opened === undefined) return nothingToPush(folder);
  if (dryRun) return { kind: 'done', text: 'Dry run: nothing was pushed.', changed: false, warnings: [] };
  return await pushMemory(opened, signal);
}
