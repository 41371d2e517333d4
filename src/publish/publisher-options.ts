import type { GitHubClient } from '../github/client/client.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { CheckProgress } from '../review/check-progress.js';
import type { PublishRequest, Reporter } from '../run/dependencies.js';
import type { Plan } from '../run/records.js';
import type { PublishInputs, ReviewInputs } from '../runner/inputs/input-groups.js';
import type { Inputs } from '../runner/inputs/inputs.js';
import type { ThisRun } from '../runner/runner.js';
import type { MarkLane } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';

/** What the action's publisher works with. */
export interface ActionPublisherOptions extends ThisRun {
  readonly client: GitHubClient | undefined;
  /** The check in progress; left out where none is wanted. */
  readonly progress?: CheckProgress | undefined;
  readonly comment: Inputs['comment'];
  readonly review: ReviewInputs;
  readonly inputs: PublishInputs;
  readonly reporter: Reporter;
  readonly secrets: readonly string[];
  /** Folder that all steps of the job share; empty where there is none. */
  readonly temp: string;
  now(): Date;
}

/** A run that is over, and what it wants published. */
export interface RunEnd {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly requested: PublishRequest;
}

/** Outbound cleaning for comments of a run (D24). */
export function cleanFor(
  lane: MarkLane,
  { secrets }: { readonly secrets: readonly string[] },
): (markdown: string) => string {
  return (markdown) => sanitize(markdown, lane === 'trusted' ? 'comment' : 'untrusted-comment', secrets);
}

/** Who wrote what is above, and where to read more. */
export function footer(by: string, { runUrl }: { readonly runUrl: string }): string {
  const run = runUrl === '' ? '' : ` · [this run](${runUrl})`;
  return `<sub>${by}${run}</sub>`;
}
