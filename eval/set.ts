import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { messageOf } from '../src/lib/errors.js';
import { UsageError } from './case.js';

/** What people said about a change: a finding that a review should have. */
export interface Annotation {
  readonly path: string;
  readonly lines: readonly [first: number, last: number];
  readonly text: string;
}

/** A pull request of a public set. */
export interface SetChange {
  /** `owner/name#12`. */
  readonly name: string;
  readonly repository: string;
  /** What git clones. */
  readonly url: string;
  readonly base: string;
  readonly head: string;
  readonly annotations: readonly Annotation[];
}

const SHA = v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/i, 'not the sha of a commit'));

/** The form of AACR-Bench; what else is in it is not read. */
const schema = v.array(
  v.object({
    githubPrUrl: v.pipe(
      v.string(),
      v.regex(/\/pull\/\d+\/?$/, 'not the address of a pull request'),
    ),
    source_commit: SHA,
    target_commit: SHA,
    comments: v.array(
      v.object({
        path: v.nullish(v.string(), ''),
        note: v.nullish(v.string(), ''),
        side: v.nullish(v.string(), 'right'),
        from_line: v.nullish(v.number()),
        to_line: v.nullish(v.number()),
      }),
    ),
  }),
);

/** Reads a set from a file that a person has downloaded. Throws a UsageError. */
export function readSet(file: string): readonly SetChange[] {
  const read = v.safeParse(schema, parsed(file));
  if (!read.success) {
    const [issue] = read.issues;
    throw new UsageError(`${file}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
  }
  const changes = read.output.map(({ githubPrUrl, source_commit, target_commit, comments }) => {
    const [, url = '', number = ''] = /^(.*?)\/pull\/(\d+)\/?$/.exec(githubPrUrl) ?? [];
    const repository = url.split('/').slice(-2).join('/');
    return {
      name: `${repository}#${number}`,
      repository,
      url,
      base: target_commit,
      head: source_commit,
      annotations: comments.flatMap(({ path, note, side, from_line: from, to_line: to }) => {
        const last = to ?? from ?? 0;
        // Our findings are on lines of the head.
        if (path === '' || last < 1 || side.toLowerCase() === 'left') return [];
        return [{ path, text: note, lines: [Math.min(from ?? last, last), last] as const }];
      }),
    };
  });
  const twice = changes.find(({ name }, at) => changes.findIndex((c) => c.name === name) !== at);
  if (twice !== undefined) throw new UsageError(`${file} has ${twice.name} twice`);
  if (changes.length === 0) throw new UsageError(`${file} has no changes`);
  return changes;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`the set cannot be read: ${messageOf(thrown)}`);
  }
}
