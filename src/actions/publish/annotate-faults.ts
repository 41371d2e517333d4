import type { Fault } from '../../core/agent/fault.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { count } from '../../core/text/count.js';
import { loadToolkit } from '../runner/toolkit.js';

/** The runner shows ten annotations of a kind for a step (D35); the tenth counts what is left. */
const MAX_ANNOTATIONS = 9;

/** Shows what is wrong with agents at their lines. */
export async function annotateFaults(faults: readonly Fault[], secrets: readonly string[]): Promise<void> {
  const core = await loadToolkit();
  for (const severity of ['error', 'warning'] as const) {
    const tell = severity === 'error' ? core.error : core.warning;
    const own = faults.filter((fault) => fault.severity === severity);
    for (const { message, remedy, at } of own.slice(0, MAX_ANNOTATIONS)) {
      const { file, line, column } = at;
      tell(sanitize([message, remedy].join('\n').trim(), 'log', secrets), {
        title: 'Agent',
        file,
        ...(line === undefined ? {} : { startLine: line }),
        ...(column === undefined ? {} : { startColumn: column }),
      });
    }
    const left = own.length - MAX_ANNOTATIONS;
    if (left > 0) tell(`${count(left, `more ${severity}`)}; the job summary lists them.`, { title: 'Agent' });
  }
}
