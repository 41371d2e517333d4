import createSpinner, { type Spinner } from 'yocto-spinner';
import type { RunEvent } from '../core/dependencies.js';
import { callTarget } from '../core/loop/call-target.js';
import type { RunOutcome } from '../core/outcome.js';
import { cleanLine } from '../core/text/cut.js';
import { count, usd } from '../core/text/number.js';
import type { Terminal } from './terminal.js';

/** One line below the talk of a run that says what it is doing; it goes away when the run is over. */
export interface LiveStatus {
  event(event: RunEvent): void;
  /** Leaves a line with what the run used, if it completed. */
  done(outcome: RunOutcome): void;
  stop(): void;
}

/** Undefined where nobody watches: in a pipe, in CI, and on a terminal that cannot move its cursor. */
export function createLiveStatus(
  { stderr, env, onInterrupt }: Pick<Terminal, 'stderr' | 'env' | 'onInterrupt'>,
  { now, verbose }: { readonly now: () => number; readonly verbose: boolean },
): LiveStatus | undefined {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb' || env['CI'] !== undefined) return undefined;
  const startedAt = now();
  const progress = new Progress();
  // The program has listeners for signals of its own, which say what was saved.
  const spinner: Spinner = createSpinner({ stream: stderr as NodeJS.WriteStream, handleSignals: false });
  const show = (): void => {
    spinner.text = cut(progress.line(now() - startedAt), stderr.columns);
  };
  const clock = setInterval(show, SECOND_MS).unref();
  const stop = (): void => {
    clearInterval(clock);
    process.off('exit', stop);
    spinner.stop();
  };
  // A second Ctrl-C ends the program at once, and the cursor is hidden.
  process.once('exit', stop);
  onInterrupt(() => {
    progress.interrupted();
    show();
  });
  spinner.start(cut(progress.line(0), stderr.columns));
  return {
    event(event) {
      progress.add(event);
      show();
    },
    done(outcome) {
      const line = outcome.kind === 'completed' && !verbose ? usedLine(outcome.stats) : undefined;
      if (line !== undefined) spinner.success(line);
      stop();
    },
    stop,
  };
}

const SECOND_MS = 1000;

/** What events say of a run, in the order: model, turn, what it does, time, tokens, cost. */
class Progress {
  #model = '';
  #turn = 0;
  #doing = 'starting';
  #tokens = 0;
  #costUsd: number | undefined;
  #isInterrupted = false;
  readonly #running: string[] = [];

  add(event: RunEvent): void {
    switch (event.kind) {
      case 'run-started':
        this.#model = event.plan.model.model;
        break;
      case 'fallback':
        this.#model = nameOf(event.to);
        break;
      case 'model-request':
        this.#turn = event.turn;
        this.#doing = 'thinking';
        break;
      case 'tokens-used':
        this.#tokens += event.use.input + event.use.output;
        this.#costUsd = event.costUsd;
        break;
      case 'retry':
        this.#doing = `waiting to try again (${event.attempt} of ${event.maxRetries})`;
        break;
      case 'tool-started':
        this.#running.push(describeCall(event.tool, event.input));
        break;
      case 'tool-call':
        this.#remove(event.tool);
        break;
      case 'sub-agent-called':
        this.#doing = `asking ${event.agent}`;
        break;
      default:
    }
  }

  interrupted(): void {
    this.#isInterrupted = true;
  }

  line(elapsedMs: number): string {
    const parts = [
      this.#model,
      this.#turn === 0 ? '' : `turn ${this.#turn}`,
      this.#isInterrupted ? 'stopping' : this.#current(),
      formatSeconds(elapsedMs),
      ...usedParts(this.#tokens, this.#costUsd),
    ];
    return parts.filter((part) => part !== '').join(' · ');
  }

  #current(): string {
    const last = this.#running.at(-1);
    if (last === undefined) return this.#doing;
    return this.#running.length === 1 ? last : `${last} and ${this.#running.length - 1} more`;
  }

  #remove(tool: string): void {
    const index = this.#running.findIndex((call) => call === tool || call.startsWith(`${tool} `));
    if (index >= 0) this.#running.splice(index, 1);
  }
}

function describeCall(tool: string, input: unknown): string {
  return `${tool} ${callTarget(input)}`.trim();
}

function usedLine({ modelId, turns, durationMs, inputTokens, outputTokens, costUsd }: RunStats): string {
  const used = usedParts(inputTokens + outputTokens, costUsd);
  const seconds =
    durationMs < 10 * SECOND_MS ? `${(durationMs / SECOND_MS).toFixed(1)} s` : formatSeconds(durationMs);
  return [modelId, count(turns, 'turn'), seconds, ...used].join(' · ');
}

type RunStats = RunOutcome['stats'];

function usedParts(tokens: number, costUsd: number | undefined): readonly string[] {
  if (tokens === 0) return [];
  const cost = costUsd === undefined || costUsd === 0 ? [] : [usd(costUsd)];
  return [`${tokens.toLocaleString('en')} ${tokens === 1 ? 'token' : 'tokens'}`, ...cost];
}

function formatSeconds(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function nameOf(ref: string): string {
  return ref.slice(ref.indexOf('/') + 1);
}

/** One line of the terminal, with room for the spinner: a second one would be left behind when the window is made narrower. */
function cut(line: string, columns: number | undefined): string {
  // A terminal that does not know its width says 0.
  return cleanLine(line, Math.max(MIN_LENGTH, (columns || 80) - SPINNER_LENGTH));
}

const MIN_LENGTH = 10;
const SPINNER_LENGTH = 3;
