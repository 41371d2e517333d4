import type { Repository } from '../event/trigger.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { warningText } from '../lib/warning.js';
import { framedBody } from '../review/publication.js';
import type { Reporter } from '../run/dependencies.js';
import type { Published } from '../run/records.js';
import type { Mark, MarkLane } from '../safety/mark.js';

/** What is reported, and by whom. */
export interface Report {
  readonly repository: Repository;
  readonly agent: string;
  /** What distinguishes the workflow from others; empty outside of one. */
  readonly workflow: string;
  /** Markdown of the model's. */
  readonly text: string;
  /** Markdown below it. */
  readonly footer: string;
  readonly lane: MarkLane;
}

const UNPUBLISHED = 'the answer is in the job summary, but the issue was not written';
const REMEDY = 'The report is in the job summary.';

/**
 * Puts the answer into the issue of this agent in this workflow, or opens one (D26). The body is replaced, so a run that
 * is repeated changes nothing but the time. Trouble is a warning.
 */
export async function postReport(
  client: GitHubClient | undefined,
  report: Report,
  {
    reporter,
    clean,
    cleanTitle,
  }: {
    readonly reporter: Reporter;
    /** Outbound cleaning for comments (D24). */
    clean(markdown: string): string;
    /** The same for titles, which are plain text. */
    cleanTitle(title: string): string;
  },
): Promise<Published> {
  const failed = (message: string, remedy?: string): Published => {
    const warning = { code: 'publish-failed', message: `${UNPUBLISHED}: ${message}`, remedy } as const;
    reporter.warn(warning);
    return { line: undefined, url: undefined, failure: warningText(warning) };
  };
  if (client === undefined) return failed(NO_TOKEN);
  const { repository, agent, footer } = report;
  const mark: Mark = { kind: 'report', agent, workflow: report.workflow, lane: report.lane };
  const issue = {
    repository,
    mark,
    title: cleanTitle(`Report of ${agent}`),
    body: framedBody({ mark, text: clean(report.text), footer }),
    labels: [],
  } as const;
  const result = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  if (result instanceof GitHubError) return failed(result.message, result.remedy);
  const line = result.created
    ? `Opened the report #${result.number}.`
    : `Brought the report #${result.number} up to date.`;
  return { line, url: result.url };
}
