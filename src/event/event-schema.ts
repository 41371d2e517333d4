import * as v from 'valibot';

/** Missing, null or of another type: the empty value, so that no payload can break a run. */
const text = v.fallback(v.string(), '');
const flag = v.fallback(v.boolean(), false);
const number = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

const user = v.fallback(v.nullable(v.object({ login: text, type: text })), null);

const repository = v.fallback(v.nullable(v.object({ full_name: text })), null);

const branch = v.fallback(v.object({ ref: text, sha: text, repo: repository }), {
  ref: '',
  sha: '',
  repo: null,
});

const labels = v.fallback(v.array(v.fallback(v.object({ name: text }), { name: '' })), []);

/** Of a pull request in short, which names its repository by address. */
const pullRepository = v.fallback(v.object({ url: text }), { url: '' });

const NO_PULL = { number: 0, base: { ref: '', sha: '', repo: { url: '' } } };

const pullRequest = v.object({
  number,
  title: text,
  body: text,
  user,
  draft: flag,
  head: branch,
  base: branch,
  merge_commit_sha: text,
  labels,
  state: text,
  updated_at: text,
});

const issue = v.object({
  number,
  title: text,
  body: text,
  user,
  /** An object where the issue is a pull request. */
  pull_request: v.fallback(v.nullable(v.looseObject({})), null),
  labels,
  state: text,
  updated_at: text,
});

const comment = v.object({
  id: number,
  body: text,
  user,
  updated_at: text,
  /** Of a review, which has no time of its last change, and a state. */
  submitted_at: text,
  state: text,
  path: text,
  line: number,
  diff_hunk: text,
  /** Of a comment on a line that is not the first one there. */
  in_reply_to_id: number,
});

const workflowRun = v.object({
  id: number,
  name: text,
  conclusion: text,
  event: text,
  head_branch: text,
  head_sha: text,
  head_repository: repository,
  repository,
  head_commit: v.fallback(v.object({ message: text }), { message: '' }),
  updated_at: text,
  pull_requests: v.fallback(
    v.array(
      v.fallback(
        v.object({ number, base: v.object({ ref: text, sha: text, repo: pullRepository }) }),
        NO_PULL,
      ),
    ),
    [],
  ),
});

const release = v.object({ tag_name: text, name: text, body: text, author: user, prerelease: flag });

const mergeGroup = v.object({ head_sha: text, head_ref: text, base_sha: text, base_ref: text });

const payloadRepository = v.object({
  name: text,
  full_name: text,
  owner: v.fallback(v.object({ login: text }), { login: '' }),
  default_branch: text,
  private: flag,
});

const NO_REPOSITORY = { name: '', full_name: '', owner: { login: '' }, default_branch: '', private: false };

/** The fields of all webhook payloads that are read (GitHub's "Webhook events and payloads"). */
export const eventSchema = v.object({
  action: text,
  sender: user,
  repository: v.fallback(payloadRepository, NO_REPOSITORY),
  pull_request: v.fallback(v.nullable(pullRequest), null),
  issue: v.fallback(v.nullable(issue), null),
  comment: v.fallback(v.nullable(comment), null),
  review: v.fallback(v.nullable(comment), null),
  workflow_run: v.fallback(v.nullable(workflowRun), null),
  release: v.fallback(v.nullable(release), null),
  merge_group: v.fallback(v.nullable(mergeGroup), null),
  /** Of `labeled` and `unlabeled`. */
  label: v.fallback(v.object({ name: text }), { name: '' }),
  /** What an edit changed. */
  changes: v.fallback(v.object({ base: v.fallback(v.nullable(v.looseObject({})), null) }), { base: null }),
  ref: text,
  before: text,
  after: text,
  commits: v.fallback(
    v.array(v.fallback(v.object({ id: text, message: text }), { id: '', message: '' })),
    [],
  ),
  forced: flag,
  schedule: text,
});

/** A payload with every field there, empty where GitHub sent none. */
export type EventPayload = v.InferOutput<typeof eventSchema>;

/** An account in a payload. */
export type PayloadUser = { readonly login: string; readonly type: string };
