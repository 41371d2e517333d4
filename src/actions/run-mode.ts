import type { World } from '../axe/ports.js';
import type { Warning } from '../axe/warning.js';
import type { RunReport } from '../pipeline/request.js';
import { runPipeline } from '../pipeline/run.js';
import { type GcModeParts, runGcMode } from './gc-mode.js';
import type { Inputs } from './inputs/inputs.js';
import { runMemoryMode } from './memory-mode.js';
import { readPush, runPushMode } from './push-mode.js';

/** What a mode that runs an agent works with, and which that is. */
export interface ModeParts extends GcModeParts {
  readonly mode: Exclude<Inputs['mode'], 'validate'>;
}

/** Does what the input `mode` asks for. Throws an AxeError. */
export async function runMode(parts: ModeParts, world: World): Promise<RunReport> {
  const { mode, inputs, request, runner } = parts;
  const unused = unusedWarning(inputs);
  if (unused !== undefined) world.reporter.warn(unused);
  switch (mode) {
    case 'run':
      return await runPipeline(request, world);
    case 'memory': {
      const push = readPush(inputs);
      if (push !== undefined) return await runPushMode(push, parts, world);
      return await runMemoryMode(
        { command: inputs.memoryCommand, request, workspace: runner.workspace },
        world,
      );
    }
    case 'gc':
      return await runGcMode(parts, world);
  }
}

function unusedWarning({ mode, unused }: Inputs): Warning | undefined {
  if (unused.length === 0) return undefined;
  const names = unused.map((name) => `\`${name}\``).join(', ');
  const message = `\`mode: ${mode}\` does not use ${names}. Remove ${unused.length === 1 ? 'it' : 'them'}, or give ${unused.length === 1 ? 'it' : 'them'} to a step that runs the agent.`;
  return { code: 'input-invalid', message };
}
