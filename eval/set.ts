import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { groupBy } from '../src/lib/data.js';
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
  /** Added and removed. */
  readonly changedLines: number;
  readonly annotations: readonly Annotation[];
}

const SHA = v.pipe(v.string(), v.regex(/^[0-9a-f]{7,64}$/i, 'not the sha of a commit'));

/** What a change of AACR-Bench has on average. */
const TYPICAL_LINES = 250;

/** The form of AACR-Bench; what else is in it is not read. */
const schema = v.array(
  v.object({
    githubPrUrl: v.pipe(
      v.string(),
      v.regex(/\/pull\/\d+\/?$/, 'not the address of a pull request'),
    ),
    source_commit: SHA,
    target_commit: SHA,
    change_line_count: v.nullish(v.number(), TYPICAL_LINES),
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

/**
 * Reads a set from a file that a person has downloaded: the changes of a repository together, the
 * oldest first. Throws a UsageError.
 */
export function readSet(file: string): readonly SetChange[] {
  const read = v.safeParse(schema, parsed(file));
  if (!read.success) {
    const [issue] = read.issues;
    throw new UsageError(`${file}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
  }
  const changes = read.output.map(({ githubPrUrl, source_commit, target_commit, ...rest }) => {
    const [, url = '', number = ''] = /^(.*?)\/pull\/(\d+)\/?$/.exec(githubPrUrl) ?? [];
    const repository = url.split('/').slice(-2).join('/');
    return {
      name: `${repository}#${number}`,
      repository,
      url,
      base: target_commit,
      head: source_commit,
      number: Number(number),
      changedLines: rest.change_line_count,
      annotations: rest.comments.flatMap(({ path, note, side, from_line: from, to_line: to }) => {
        const last = to ?? from ?? 0;
        // Our findings are on lines of the head.
        if (path === '' || last < 1 || side.toLowerCase() === 'left') return [];
        const first = from ?? last;
        const lines = [Math.min(first, last), Math.max(first, last)] as const;
        return [{ path, text: note, lines }];
      }),
    };
  });
  const twice = changes.find(({ name }, at) => changes.findIndex((c) => c.name === name) !== at);
  if (twice !== undefined) throw new UsageError(`${file} has ${twice.name} twice`);
  if (changes.length === 0) throw new UsageError(`${file} has no changes`);
  const byRepository = groupBy(changes, ({ repository }) => repository);
  return [...byRepository.values()].flatMap((group) =>
    group
      .toSorted((a, b) => a.number - b.number)
      .map(({ number: _, ...change }): SetChange => change),
  );
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new UsageError(`the set cannot be read: ${messageOf(thrown)}`);
  }
}
