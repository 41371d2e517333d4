import type { Warning } from '../../src/lib/errors.js';
import type { OpenModel } from '../../src/loop/asker.js';
import { Budget } from '../../src/loop/budget.js';
import type { LoopDependencies } from '../../src/loop/events.js';
import type { Conversation } from '../../src/loop/run-agent.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

export const UNSET = { temperature: undefined, maxTokens: 0, responseFormat: undefined };

/** A conversation in which nothing is set and nothing limited. */
export function conversationOf(model: OpenModel, patch: Partial<Conversation> = {}): Conversation {
  return {
    model,
    fallbacks: [],
    retry: { maxRetries: 0, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 },
    prompt: { system: 'Be brief.', message: 'Go.' },
    params: UNSET,
    tools: [],
    parallel: true,
    maxTurns: 50,
    budget: new Budget({ maxTokens: 0, maxCostUsd: 0 }),
    form: undefined,
    ...patch,
  };
}

/** What the loop needs of a run that has no end, with what it reported. */
export function loopDeps(patch: Partial<LoopDependencies> = {}) {
  const events: RunEvent[] = [];
  const warnings: Warning[] = [];
  const deps: LoopDependencies = {
    clock: createFakeClock(),
    reporter: {
      event: (event) => void events.push(event),
      warn: (warning) => void warnings.push(warning),
    },
    signal: new AbortController().signal,
    leftMs: () => Number.POSITIVE_INFINITY,
    ...patch,
  };
  return { deps, events, warnings };
}
