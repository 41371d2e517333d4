import * as v from 'valibot';

/** Missing, null or of another type: the empty value, so that no payload can break a run. */
const text = v.fallback(v.string(), '');
const flag = v.fallback(v.boolean(), false);
const number = v.fallback(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0);

/** Null where there is no object. */
function maybe<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.fallback(v.nullable(v.object(entries)), null);
}

/** An object with every field empty where there is none. */
function filled<Entries extends v.ObjectEntries>(entries: Entries) {
  const schema = v.object(entries);
  return v.fallback(schema, () => v.parse(schema, {}));
}

const user = maybe({ login: text, type: text });
const repository = maybe({ full_name: text });
const branch = filled({ ref: text, sha: text, repo: repository });
const labels = v.fallback(v.array(filled({ name: text })), []);

const subject = { number, title: text, body: text, user, labels, state: text, updated_at: text };

/** Of a review, too, which has no time of its last change, and a state. */
const comment = maybe({
  id: number,
  body: text,
  user,
  updated_at: text,
  submitted_at: text,
  state: text,
  path: text,
  line: number,
  diff_hunk: text,
  /** Of a comment on a line that is not the first one there. */
  in_reply_to_id: number,
});

/** A pull request in short, which names its repository by address. */
const shortPull = filled({ number, base: filled({ ref: text, sha: text, repo: filled({ url: text }) }) });

/** The fields of all webhook payloads that are read (GitHub's "Webhook events and payloads"). */
export const eventSchema = v.object({
  action: text,
  sender: user,
  repository: filled({
    name: text,
    full_name: text,
    owner: filled({ login: text }),
    default_branch: text,
    private: flag,
  }),
  pull_request: maybe({ ...subject, draft: flag, head: branch, base: branch, merge_commit_sha: text }),
  /** `pull_request` is an object where the issue is a pull request. */
  issue: maybe({ ...subject, pull_request: maybe({}) }),
  comment,
  review: comment,
  workflow_run: maybe({
    id: number,
    name: text,
    conclusion: text,
    event: text,
    head_branch: text,
    head_sha: text,
    head_repository: repository,
    repository,
    head_commit: filled({ message: text }),
    updated_at: text,
    pull_requests: v.fallback(v.array(shortPull), []),
  }),
  release: maybe({ tag_name: text, name: text, body: text, author: user, prerelease: flag }),
  merge_group: maybe({ head_sha: text, head_ref: text, base_sha: text, base_ref: text }),
  /** Of `labeled` and `unlabeled`. */
  label: filled({ name: text }),
  /** What an edit changed. */
  changes: filled({ base: maybe({}) }),
  ref: text,
  before: text,
  after: text,
  commits: v.fallback(v.array(filled({ id: text, message: text })), []),
  forced: flag,
  schedule: text,
});

/** A payload with every field there, empty where GitHub sent none. */
export type EventPayload = v.InferOutput<typeof eventSchema>;
