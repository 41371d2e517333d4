import { parseEvent, parseEventFile } from '../event/parse-event.js';
import type { Trigger } from '../event/trigger.js';
import type { Environment } from '../lib/environment.js';
import { readTextFile } from '../lib/user-files.js';

/**
 * The trigger of an event file; `name` is empty to tell it from the payload, which may leave out what `env` says. Throws a
 * ConfigError for a file that cannot be read or is not an event.
 */
export async function readTrigger({
  file,
  name,
  env,
}: {
  readonly file: string;
  readonly name: string;
  readonly env: Environment;
}): Promise<Trigger> {
  const text = await readTextFile(file, {
    what: 'event file',
    remedy: 'In a workflow the runner writes it; elsewhere give `--event` the JSON payload of a webhook.',
  });
  const payload = parseEventFile(text, file);
  return parseEvent(name === '' ? inferEventName(payload) : name, payload, {
    repository: env['GITHUB_REPOSITORY'] || undefined,
    actor: env['GITHUB_ACTOR'] || undefined,
    ref: env['GITHUB_REF'] || undefined,
  });
}

/** The event whose payload has these keys; each event has one that no other has next to it. */
const EVENT_BY_KEYS: readonly { readonly keys: readonly string[]; readonly event: string }[] = [
  { keys: ['review', 'pull_request'], event: 'pull_request_review' },
  { keys: ['comment', 'pull_request'], event: 'pull_request_review_comment' },
  { keys: ['thread', 'pull_request'], event: 'pull_request_review_thread' },
  { keys: ['pull_request'], event: 'pull_request' },
  { keys: ['comment', 'issue'], event: 'issue_comment' },
  { keys: ['issue'], event: 'issues' },
  { keys: ['deployment'], event: 'deployment' },
  { keys: ['workflow_run', 'workflow'], event: 'workflow_run' },
  { keys: ['release'], event: 'release' },
  { keys: ['merge_group'], event: 'merge_group' },
  { keys: ['schedule'], event: 'schedule' },
  { keys: ['pusher'], event: 'push' },
  { keys: ['client_payload'], event: 'repository_dispatch' },
  { keys: ['inputs', 'workflow'], event: 'workflow_dispatch' },
];

function inferEventName(payload: unknown): string {
  const keys = new Set(typeof payload === 'object' && payload !== null ? Object.keys(payload) : []);
  return EVENT_BY_KEYS.find((entry) => entry.keys.every((key) => keys.has(key)))?.event ?? 'unknown';
}
