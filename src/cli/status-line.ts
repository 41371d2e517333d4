import type { RunEvent } from '../core/dependencies.js';
import { callTarget } from '../core/loop/call-target.js';
import type { RunOutcome } from '../core/outcome.js';
import { cleanLine } from '../core/text/cut.js';
import { count, duration, usd } from '../core/text/number.js';
import type { Terminal } from './terminal.js';

/** One line at the end of standard error that says what a run is doing. Whoever writes there clears it first. */
export interface StatusLine {
  event(event: RunEvent): void;
  clear(): void;
  /** Leaves a line with what a completed run used. */
  done(outcome: RunOutcome): void;
}

/** Undefined where nobody watches: in a pipe, in CI, and on a terminal that cannot clear a line. */
export function createStatusLine({ stderr, env }: Pick<Terminal, 'stderr' | 'env'>): StatusLine | undefined {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb' || env['CI'] !== undefined) return undefined;
  let model = '';
  let turn = '';
  return {
    event(event) {
      if (event.kind === 'run-started') model = event.plan.model.model;
      if (event.kind === 'fallback') model = event.to;
      if (event.kind === 'model-request') turn = `turn ${event.turn}`;
      const doing = describe(event);
      if (doing === undefined) return;
      const line = [model, turn, doing].filter((part) => part !== '').join(' · ');
      // A terminal that does not know its width says 0; a line of the whole width would break.
      stderr.write(`${CLEAR}${cleanLine(line, (stderr.columns || 80) - 1)}`);
    },
    clear: () => void stderr.write(CLEAR),
    done({ kind, stats }) {
      stderr.write(kind === 'completed' ? `${CLEAR}✔ ${usedLine(stats)}\n` : CLEAR);
    },
  };
}

/** To the first column, and away with what stands there. */
const CLEAR = '\r\u001b[K';

function describe(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'run-started':
      return 'starting';
    case 'model-request':
      return 'thinking';
    case 'retry':
      return `waiting to try again (${event.attempt} of ${event.maxRetries})`;
    case 'tool-started':
      return `${event.tool} ${callTarget(event.input)}`.trim();
    case 'sub-agent-called':
      return `asking ${event.agent}`;
    default:
      return undefined;
  }
}

function usedLine(stats: RunOutcome['stats']): string {
  const { modelId, turns, durationMs, inputTokens, outputTokens, costUsd = 0 } = stats;
  const cost = costUsd === 0 ? [] : [usd(costUsd)];
  const tokens = count(inputTokens + outputTokens, 'token');
  return [modelId, count(turns, 'turn'), duration(durationMs), tokens, ...cost].join(' · ');
}
