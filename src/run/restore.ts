import type { LoadedAgent } from '../agent/agent-source.js';
import { grouped } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import type { NoteChange } from '../memory/change.js';
import { notesUnder } from '../memory/notes/place.js';
import { promptText } from '../memory/run-log.js';
import type { RestoreResult } from '../memory/store.js';
import { parseReviewFacts } from '../review/state-facts.js';
import { FENCE_NOTICE } from '../safety/fence.js';
import type { Dependencies } from './dependencies.js';
import { lessonsFor } from './learn.js';
import { openNotes } from './notes.js';
import type { NotesPlan } from './plan-notes.js';
import type { Draft, Memory, Restored, RunRequest } from './request.js';
import type { MemoryPlan, Plan } from './run-plan.js';
import { needsFindings } from './scope.js';

/**
 * The third step: waits for memory, reports what is wrong with it, and finishes the plan with what its findings taught. A
 * dry run shows the plan without lessons where memory is kept in another repository. Rejects only for an aborted signal.
 */
export async function restore(request: RunRequest, draft: Draft, deps: Dependencies): Promise<Restored> {
  const { plan, taint, change, model } = draft;
  const memory = await draft.memory;
  const learned = await draft.learned;
  // A review that has to know its findings ends with this very refusal, which is told once.
  const isTold = ({ message }: Warning) =>
    needsFindings(plan) && learned.trouble?.startsWith(message) === true;
  for (const warning of plan.warnings) if (!isTold(warning)) deps.reporter.warn(warning);
  if (memory !== undefined) {
    for (const warning of memoryWarnings(plan, memory.restored, deps)) deps.reporter.warn(warning);
    for (const warning of notesWarnings(memory)) deps.reporter.warn(warning);
  }
  const isHidden = request.dryRun && request.isMemoryHidden;
  const isUntrusted = taint.lane(plan.trust.lane) !== 'trusted';
  const lessons = isHidden ? undefined : lessonsFor(learned, change, isUntrusted);
  return { plan: withLessons(plan, lessons), memory, learned, taint, change, model };
}

/** Every pass shows a diff, so it explains its fences already. */
function withLessons(plan: Plan, lessons: string | undefined): Plan {
  if (lessons === undefined) return plan;
  const { task, passes } = plan;
  const { message } = task;
  const parts = message.includes(FENCE_NOTICE) ? [message, lessons] : [message, FENCE_NOTICE, lessons];
  return {
    ...plan,
    task: { ...task, message: parts.join('\n\n') },
    passes: passes?.map((pass) => ({ ...pass, message: `${pass.message}\n\n${lessons}` })),
  };
}

/**
 * Reads what the run may know; undefined for an agent without memory. `plan` is undefined where notes are off, and `unsaved`
 * what the agent of the run has written, for its sub-agents. Never throws: trouble is in the result.
 */
export async function readMemory(
  agent: LoadedAgent,
  memory: MemoryPlan | undefined,
  deps: Dependencies,
  { plan, unsaved }: { readonly plan: NotesPlan | undefined; readonly unsaved: readonly NoteChange[] } = {
    plan: undefined,
    unsaved: [],
  },
): Promise<Memory | undefined> {
  if (memory === undefined) return undefined;
  const { path, lastN, maxBytes, count } = memory;
  const alongside = plan && notesUnder(plan.places, path, deps.clock.now());
  const request = { path, lastN, maxBytes, count, alongside };
  const store = deps.openMemory(agent, memory);
  const restored = await store.read(request, deps.deadline.signal);
  const notesSession =
    plan === undefined ? undefined : await openNotes({ agent, memory, plan, store, restored, unsaved }, deps);
  const facts = restored.kind === 'failed' ? [] : parseReviewFacts(restored.state ?? '');
  const text = restored.kind === 'restored' ? promptText(restored.text) : '';
  return {
    store,
    restored,
    facts,
    text,
    notes: notesSession?.prompt,
    notesSession,
  };
}

/** What is to be told of notes before the run; that a store cannot be read is told once. */
export function notesWarnings({ restored, notesSession }: Memory): readonly Warning[] {
  const warnings = notesSession?.warnings ?? [];
  if (restored.kind !== 'failed') return warnings;
  return warnings.filter(({ code }) => code !== 'memory-load-failed');
}

/** What is to be told of memory before the run (axe-behaviour §10). */
export function memoryWarnings(
  { agent, memory, trigger }: Plan,
  restored: RestoreResult,
  { program }: Dependencies,
): readonly Warning[] {
  if (restored.kind === 'failed') {
    const message = `failed to load memory for "${agent.name}": ${restored.message}`;
    return [{ code: 'memory-load-failed', agent: agent.name, message, remedy: restored.remedy }];
  }
  const warnings = [...restored.warnings];
  if (restored.kind === 'empty') return warnings;
  if (restored.truncated !== undefined && agent.config.memory.maxLogBytes === 0) {
    const loaded = restored.loaded === 1 ? 'entry was' : `${grouped(restored.loaded)} entries were`;
    const message = `memory of "${agent.name}" holds ${grouped(restored.truncated.fileBytes)} bytes; only its newest ${loaded} loaded`;
    const remedy = 'Set `last_n` in `[memory]` to choose how many.';
    warnings.push({ code: 'memory-truncated', message, remedy });
  }
  const { total = 0 } = restored;
  const maxEntries = memory?.maxEntries ?? 0;
  if (maxEntries > 0 && total >= maxEntries) {
    const full =
      trigger.kind === 'local'
        ? {
            message: `agent "${agent.name}" memory has ${total} entries (max_entries: ${maxEntries})`,
            remedy: `Run '${program} gc ${agent.name}' to trim.`,
          }
        : {
            message: `agent "${agent.name}" remembers ${grouped(total)} entries; \`max_entries\` is ${grouped(maxEntries)}`,
            remedy: 'Trim them with a run of `mode: gc`.',
          };
    warnings.push({ code: 'memory-max-entries', ...full });
  }
  return warnings;
}
