import type { GitHubClient } from '../github/client/client.js';
import type { Reporter } from '../run/dependencies.js';
import type { Inputs } from '../runner/inputs/inputs.js';
import type { PublishInputs } from '../runner/inputs/publish-inputs.js';
import type { ReviewInputs } from '../runner/inputs/review-inputs.js';
import type { ThisRun } from '../runner/runner.js';
import type { MarkLane } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import type { CheckProgress } from './check-progress.js';

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

/** Outbound cleaning for comments of a run (D24). */
export function cleanFor(
  { lane }: { readonly lane: MarkLane },
  { secrets }: Pick<ActionPublisherOptions, 'secrets'>,
): Clean {
  return (markdown) => sanitize(markdown, lane === 'trusted' ? 'comment' : 'untrusted-comment', secrets);
}

export type Clean = (markdown: string) => string;

/** The same for titles, which are plain text. */
export function titleCleaner({ secrets }: Pick<ActionPublisherOptions, 'secrets'>): Clean {
  return (title) => sanitize(title, 'title', secrets);
}
