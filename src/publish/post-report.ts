import type { Repository } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { type Warning, warningText } from '../lib/warning.js';
import { framedBody } from '../review/publication.js';
import type { Published, Reporter } from '../run/dependencies.js';
import type { Mark, MarkLane } from '../safety/mark.js';
import { NO_TOKEN, withGitHub } from './with-github.js';

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

/** How it is published. */
interface ReportOptions {
  readonly client: GitHubClient | undefined;
  readonly reporter: Reporter;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** The same for titles, which are plain text. */
  cleanTitle(title: string): string;
}

const UNPUBLISHED = 'the answer is in the job summary, but the issue was not written';
const REMEDY = 'The report is in the job summary.';

/**
 * Puts the answer into the issue of this agent in this workflow, or opens one (D26). The body is replaced, so a run that
 * is repeated changes nothing but the time. Trouble is a warning.
 */
export async function postReport(report: Report, options: ReportOptions): Promise<Published> {
  const { client, reporter, clean, cleanTitle } = options;
  const failed = ({ message, remedy }: Pick<Warning, 'message' | 'remedy'>): Published => {
    const next = remedy === undefined ? {} : { remedy };
    const warning = { code: 'publish-failed', message: `${UNPUBLISHED}: ${message}`, ...next } as const;
    reporter.warn(warning);
    return { line: undefined, url: undefined, failure: warningText(warning) };
  };
  if (client === undefined) return failed({ message: NO_TOKEN });
  const { repository, agent, footer } = report;
  const mark: Mark = { kind: 'report', agent, workflow: report.workflow, lane: report.lane };
  const issue = {
    repository,
    mark,
    title: cleanTitle(`Report of ${agent}`),
    body: framedBody({ mark, text: clean(report.text), footer }),
    labels: [],
    ifFound: { kind: 'update' },
  } as const;
  const response = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') return failed(result);
  const line = result.created
    ? `Opened the report #${result.number}.`
    : `Brought the report #${result.number} up to date.`;
  return { line, url: result.url };
}
