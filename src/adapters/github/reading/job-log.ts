import type { Repository } from '../../../core/event/trigger.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** Which log, and how much of it. */
export interface JobLogRequest {
  readonly repository: Repository;
  readonly jobId: number;
  readonly maxLogLines: number;
}

/** The end of a log: text that the job printed, not to be trusted; or why there is none. */
export type JobLog =
  | { readonly kind: 'tail'; readonly text: string; readonly linesTotal: number }
  | { readonly kind: 'unavailable'; readonly message: string };

/**
 * The end of the log of an Actions job. GitHub leads to a file elsewhere, which comes whole; a job that still runs
 * has none. Rejects only for an aborted signal.
 */
export async function fetchJobLog(
  client: GitHubClient,
  { repository, jobId, maxLogLines }: JobLogRequest,
  signal: AbortSignal,
): Promise<JobLog> {
  try {
    const { body } = await client.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      params: { owner: repository.owner, repo: repository.name, job_id: jobId },
      signal,
    });
    return tailOf(textOf(body), maxLogLines);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message, remedy } = thrown;
    return { kind: 'unavailable', message: remedy === undefined ? message : `${message}. ${remedy}` };
  }
}

/** The storage may call it text or bytes. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

/**
 * The last lines of a job's log without the runner's times and colours, ending with the last error the runner marked,
 * if there is one: what follows it only cleans up.
 */
export function tailOf(log: string, maxLines: number): JobLog {
  const lines = log.split(/\r?\n/).map(plainLine);
  if (lines.at(-1) === '') lines.pop();
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error < 0 ? lines.length : error + 1;
  const tail = lines.slice(Math.max(0, end - maxLines), end);
  return { kind: 'tail', text: tail.join('\n'), linesTotal: lines.length };
}

function plainLine(line: string): string {
  return line.replace(TIME, '').replace(COLOUR, '');
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** ANSI control sequences. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
