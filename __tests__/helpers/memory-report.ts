import type {
  MemoryCommandResult,
  MemoryDone,
  MemoryRefusal,
} from '../../src/memory/commands/command-session.js';
import type { Report } from './reports.js';

/** A command over memory that was done. */
export function done(text: string, patch: Partial<MemoryDone> = {}): MemoryDone {
  return { kind: 'done', text, changed: false, warnings: [], ...patch };
}

/** A command over memory that was not. */
export function refused(reason: MemoryRefusal['reason'], patch: Partial<MemoryRefusal> = {}): MemoryRefusal {
  return { kind: 'failed', reason, message: 'it is so', changed: false, ...patch };
}

/** The report of a command over the memory of the agent `bot`. */
export function memoryReport(
  result: MemoryCommandResult,
  patch: Partial<Report<'memory-command'>> = {},
): Report<'memory-command'> {
  return {
    kind: 'memory-command',
    agent: 'bot',
    command: 'forget',
    result,
    published: { line: undefined, url: undefined },
    ...patch,
  };
}
