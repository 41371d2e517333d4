import type { World } from '../axe/ports.js';
import type { RunReport } from '../pipeline/request.js';
import { runPipeline } from '../pipeline/run.js';
import { type GcModeParts, runGcMode } from './gc-mode.js';
import { runMemoryMode } from './memory-mode.js';

/** Does what the input `mode` asks for. Throws an AxeError. */
export async function runMode(parts: GcModeParts, world: World): Promise<RunReport> {
  const { inputs, request, runner } = parts;
  switch (inputs.mode) {
    case 'run':
      return await runPipeline(request, world);
    case 'memory':
      return await runMemoryMode(
        { command: inputs.memoryCommand, request, workspace: runner.workspace },
        world,
      );
    case 'gc':
      return await runGcMode(parts, world);
  }
}
