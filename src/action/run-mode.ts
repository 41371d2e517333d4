import type { Warning } from '../lib/warning.js';
import type { Dependencies } from '../run/dependencies.js';
import type { RunReport } from '../run/request.js';
import { runPipeline } from '../run/run.js';
import type { Inputs } from '../runner/inputs/inputs.js';
import { type GcModeParts, runGcMode } from './gc-mode.js';

/** What a mode that runs an agent works with, and which that is. */
interface ModeParts extends GcModeParts {
  readonly mode: Exclude<Inputs['mode'], 'validate'>;
}

/** Does what the input `mode` asks for. Throws an AxeError. */
export async function runMode(
  parts: ModeParts,
  deps: Dependencies,
  onSaving: (report: RunReport) => void,
): Promise<RunReport> {
  const { mode, inputs, request } = parts;
  const unused = unusedWarning(inputs);
  if (unused !== undefined) deps.reporter.warn(unused);
  switch (mode) {
    case 'run':
      return await runPipeline(request, deps, onSaving);
    case 'gc':
      return await runGcMode(parts, deps);
  }
}

function unusedWarning({ mode, unused }: Inputs): Warning | undefined {
  if (unused.length === 0) return undefined;
  const names = unused.map((name) => `\`${name}\``).join(', ');
  const message = `\`mode: ${mode}\` does not use ${names}. Remove ${unused.length === 1 ? 'it' : 'them'}, or give ${unused.length === 1 ? 'it' : 'them'} to a step that runs the agent.`;
  return { code: 'input-invalid', message };
}
