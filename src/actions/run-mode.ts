import type { Dependencies } from '../core/dependencies.js';
import type { Warning } from '../core/warning.js';
import type { RunReport } from '../run/request.js';
import { runPipeline } from '../run/run.js';
import type { GcModeParts } from './gc-mode.js';
import { runGcMode } from './gc-mode.js';
import type { Inputs } from './inputs/inputs.js';
import { runMemoryMode } from './memory-mode.js';
import { readPush, runPushMode } from './push-mode.js';

/** What a mode that runs an agent works with, and which that is. */
interface ModeParts extends GcModeParts {
  readonly mode: Exclude<Inputs['mode'], 'validate'>;
}

/** Does what the input `mode` asks for. Throws an AxeError. */
export async function runMode(parts: ModeParts, deps: Dependencies): Promise<RunReport> {
  const { mode, inputs, request, runner } = parts;
  const unused = unusedWarning(inputs);
  if (unused !== undefined) deps.reporter.warn(unused);
  switch (mode) {
    case 'run':
      return await runPipeline(request, deps);
    case 'memory': {
      const push = readPush(inputs);
      if (push !== undefined) return await runPushMode(push, parts, deps);
      return await runMemoryMode(
        { command: inputs.memoryCommand, request, workspace: runner.workspace },
        deps,
      );
    }
    case 'gc': {
      return await runGcMode(parts, deps);
    }
  }
}

function unusedWarning({ mode, unused }: Inputs): Warning | undefined {
  if (unused.length === 0) return undefined;
  const names = unused.map((name) => `\`${name}\``).join(', ');
  const message = `\`mode: ${mode}\` does not use ${names}. Remove ${unused.length === 1 ? 'it' : 'them'}, or give ${unused.length === 1 ? 'it' : 'them'} to a step that runs the agent.`;
  return { code: 'input-invalid', message };
}
