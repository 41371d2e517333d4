import { LIMIT_NOTICE } from '../defaults.js';

/** What is left of a run; undefined where there is no such limit. */
export interface LimitState {
  /** Requests that may still be made. */
  readonly turnsLeft?: number | undefined;
  /** Share of the token budget that is spent, 1 for all of it. */
  readonly tokensShare?: number | undefined;
  /** Share of the cost limit that is spent, 1 for all of it. */
  readonly costShare?: number | undefined;
  readonly secondsLeft?: number | undefined;
}

/**
 * One line that tells the model how little is left, to stand at the end of the last tool result; undefined while there
 * is enough (thresholds: {@link LIMIT_NOTICE}).
 */
export function limitNotice(state: LimitState): string | undefined {
  const scarce = [
    ...turns(state.turnsLeft),
    ...share(state.tokensShare, 'token budget'),
    ...share(state.costShare, 'cost limit'),
    ...seconds(state.secondsLeft),
  ];
  if (scarce.length === 0) return undefined;
  return `[Little is left of this run: ${scarce.join(', ')}. ${adviceFor(state.turnsLeft)}]`;
}

function turns(left: number | undefined): readonly string[] {
  if (left === undefined || left > LIMIT_NOTICE.turns) return [];
  const whole = Math.max(0, Math.floor(left));
  return [whole === 1 ? '1 turn' : `${whole} turns`];
}

function share(spent: number | undefined, name: string): readonly string[] {
  if (spent === undefined || !(spent >= LIMIT_NOTICE.share)) return [];
  return [`${Math.max(0, Math.floor((1 - spent) * 100 + ROUNDING))}% of the ${name}`];
}

/** What binary fractions lack: 1 - 0.9 is a little less than a tenth. */
const ROUNDING = 1e-9;

function seconds(left: number | undefined): readonly string[] {
  if (left === undefined || !(left <= LIMIT_NOTICE.seconds)) return [];
  const whole = Math.max(0, Math.floor(left));
  return [whole === 1 ? '1 second' : `${whole} seconds`];
}

function adviceFor(turnsLeft: number | undefined): string {
  return turnsLeft !== undefined && turnsLeft <= 1
    ? 'Your next reply is the last one: give your final answer now, without calling a tool.'
    : 'Do only what is still needed and give your final answer soon.';
}
