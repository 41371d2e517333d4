import { GitHubError } from '../../../src/github/client/errors.js';

/**
 * Trouble of one run:
 * - `unreadable`: nothing can be read of the pull request;
 * - `unread-again`: only at the run's beginning it can be read;
 * - `lost`: every other request to change something does not arrive;
 * - `unanswered`: it arrives, and its answer does not come;
 * - `killed`: the job ends between two requests;
 * - `unsaved`: the memory takes nothing.
 */
export const FAULTS = [
  'unreadable',
  'unread-again',
  'lost',
  'unanswered',
  'killed',
  'unsaved',
] as const;

export type Fault = (typeof FAULTS)[number] | 'none';

/** The job was ended. */
export class Killed extends Error {}

/** What a run changes outside, on GitHub and in memory, goes through one wire, in its order. */
export class Wire {
  #calls = 0;

  constructor(
    readonly fault: Fault = 'none',
    /** The number of requests after which the job is killed. */
    readonly lifetime = 0,
  ) {}

  call<Answer>(work: () => Answer): Answer {
    this.live();
    const isInTrouble = this.#calls % 2 === 1;
    if (this.fault === 'lost' && isInTrouble) throw unavailable();
    const answer = work();
    if (this.fault === 'unanswered' && isInTrouble) throw unavailable();
    return answer;
  }

  /** A change of memory, which a store repeats until it is known to have happened. */
  live(): void {
    this.#calls += 1;
    if (this.fault === 'killed' && this.#calls > this.lifetime) throw new Killed();
  }
}

export function unavailable(): GitHubError {
  return new GitHubError('no answer', { reason: 'unavailable' });
}
