import { type MemoryCommandResult, refusal } from './command-session.js';
import type { MemoryCommandRequest } from './memory-request.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** What is answered instead where a command is not carried out, whoever asks for it; undefined where it is. */
export function refuseHere(
  { kind }: MemoryCommand,
  { isMemoryHidden, dryRun, memoryPolicy }: MemoryCommandRequest,
): MemoryCommandResult | undefined {
  if (SHOWING.has(kind)) {
    if (!isMemoryHidden) return undefined;
    return refusal(
      'refused',
      `\`${kind}\` would show here what is kept in another repository`,
      'Run it in that repository, or `axe-action memory` on the command line.',
    );
  }
  if (dryRun) return { kind: 'done', text: DRY_RUN, changed: false, warnings: [] };
  if (memoryPolicy.write !== 'never') return undefined;
  return refusal('refused', '`memory-write: never` leaves memory as it is', 'Leave `memory-write` out.');
}

const SHOWING: ReadonlySet<MemoryCommand['kind']> = new Set(['show', 'search', 'verify', 'export']);
const DRY_RUN = 'Dry run: nothing was changed.';

/**
 * Of a memory in another repository only what was done, with ids; never what it says (D14). That is the first paragraph:
 * entries stand below, and where something went wrong, it is told last.
 */
export function hideMemory(
  result: MemoryCommandResult,
  { isMemoryHidden }: MemoryCommandRequest,
): MemoryCommandResult {
  if (!isMemoryHidden) return result;
  switch (result.kind) {
    case 'done': {
      const [first = ''] = result.text.split('\n\n');
      return {
        kind: 'done',
        text: first.replace(/:$/, '.'),
        changed: result.changed,
        warnings: result.warnings,
      };
    }
    case 'failed': {
      if (result.reason === 'ambiguous')
        return { ...result, message: 'that is the beginning of several ids' };
      return { ...result, message: result.message.split('\n\n').at(-1) ?? '' };
    }
  }
}
