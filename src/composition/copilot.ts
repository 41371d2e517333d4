import { randomUUID } from 'node:crypto';
import { isInsideReally } from '../adapters/host/confine.js';
import { scrubEnv } from '../adapters/host/process/scrub-env.js';
import { createTempDir } from '../adapters/host/temp-dir.js';
import type { CopilotPorts } from '../adapters/models/copilot-token.js';
import type { Environment } from '../core/environment.js';
import { readOnlyToken } from '../core/event/read-only-token.js';
import type { Trigger } from '../core/event/trigger.js';

/** What Copilot's models are asked with. */
interface CopilotAccess {
  readonly env: Environment;
  /** The job's own token, or that of the command line's environment; empty for none. */
  readonly token: string;
  readonly trigger: Trigger;
  /** Folder of the checkout in a workflow; undefined on somebody's own machine. */
  readonly workspace: string | undefined;
}

/** The ports of models of `copilot`; nothing is started yet. */
export function createCopilotPorts({ env, token, trigger, workspace }: CopilotAccess): CopilotPorts {
  return {
    token,
    readOnly: readOnlyToken(trigger),
    childEnv: scrubEnv(env),
    isInWorkspace: async (path) => workspace !== undefined && (await isInsideReally(path, workspace)),
    createFolder: createTempDir,
    newId: randomUUID,
  };
}
