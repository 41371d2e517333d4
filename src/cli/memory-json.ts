import type { MemoryDone } from '../commands/memory/command-session.js';
import type { MemoryEntry } from '../core/memory/commands/entry.js';

/** Entries or findings as one line of JSON; what is not known is null. */
export function formatMemoryJson({ entries = [], findings }: MemoryDone): string {
  if (findings !== undefined)
    return JSON.stringify(findings.map((one) => ({ ...one, line: one.line ?? null })));
  return JSON.stringify(entries.map(describe));
}

function describe({ id, lane, line, heading, task, result, provenance }: MemoryEntry): object {
  return {
    id,
    time: heading,
    lane,
    line,
    task: task ?? null,
    result: result ?? null,
    actor: provenance?.actor ?? null,
    event: provenance?.event ?? null,
    run: provenance?.run ?? null,
    job: provenance?.job ?? null,
    sha: provenance?.sha ?? null,
    model: provenance?.model ?? null,
    trust: provenance?.trust ?? null,
  };
}
