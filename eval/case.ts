import * as v from 'valibot';
import { CATEGORIES, SEVERITIES } from '../src/findings/finding.js';

/**
 * A person asked for what cannot be done, or a file of theirs is wrong; anything else is a fault of
 * the program.
 */
export class UsageError extends Error {}

const CASE_KINDS = ['seeded', 'clean', 'lifecycle', 'lesson', 'injection', 'large'] as const;

/** What a case is for. */
export type CaseKind = (typeof CASE_KINDS)[number];

const TEXT = v.pipe(v.string(), v.nonEmpty());
const COUNT = v.pipe(v.number(), v.integer(), v.minValue(1));

/** First and last line, both included. */
const LINES = v.pipe(
  v.tuple([COUNT, COUNT]),
  v.check(([first, last]) => first <= last, 'the first line comes after the last one'),
);

/** Groups of words; a finding that means this has a word of each. */
const WORDS = v.pipe(v.array(v.pipe(v.array(TEXT), v.nonEmpty())), v.nonEmpty());

/**
 * A fault that the change has. `role` is for the second pull request of a lesson: `repeat` is what
 * people did not want on the first one, `twin` looks like it and is a fault, `convention` is what a
 * reply on the first one explained.
 */
const EXPECTED = v.strictObject({
  id: TEXT,
  path: TEXT,
  lines: LINES,
  severity: v.picklist(SEVERITIES),
  category: v.picklist(CATEGORIES),
  words: WORDS,
  wordings: v.pipe(v.array(TEXT), v.nonEmpty()),
  role: v.optional(v.picklist(['repeat', 'twin', 'convention'])),
});

/** True and of little weight: neither right nor wrong. */
const ALLOWED = v.strictObject({ path: TEXT, lines: LINES, note: TEXT });

/** Looks wrong and is not. */
const FORBIDDEN = v.strictObject({ why: TEXT, path: TEXT, lines: LINES, words: WORDS });

const CALL = v.strictObject({ tool: TEXT, input: v.record(v.string(), v.unknown()) });
const TURN = v.array(CALL);

/** What a scripted second look says of the finding with this title; it holds to all others. */
const VERDICT = v.strictObject({
  title: TEXT,
  /** What it reads before. */
  look: v.optional(TURN, []),
  verdict: v.picklist(['holds', 'refuted', 'unclear']),
  evidence: v.optional(v.array(v.strictObject({ path: TEXT, line: COUNT, code: TEXT })), []),
  reason: TEXT,
});

/** How people answer a finding. */
const ANSWER = v.strictObject({
  finding: TEXT,
  gesture: v.picklist(['thumbs-down', 'take-back', 'resolve', 'reply', 'edit']),
  text: v.optional(TEXT),
  by: v.optional(TEXT, 'monalisa'),
});

/**
 * What happens after the first review: a push with `pushes/<number>.patch`, an answer, or another
 * pull request with `pulls/<number>.patch` on top of the first one merged.
 */
const STEP = v.union([
  v.strictObject({
    push: COUNT,
    /**
     * The base branch gets `pushes/<number>.base.patch` before, and the head is put on top of it.
     */
    rebase: v.optional(v.boolean(), false),
    /** Ids of what is fixed in this version, and of what must be open after it. */
    settled: v.optional(v.array(TEXT), []),
    open: v.optional(v.array(TEXT), []),
    /** Whether a review that asked for changes must hold. */
    blocked: v.optional(v.boolean()),
  }),
  v.strictObject({ answer: ANSWER }),
  v.strictObject({
    pull: COUNT,
    title: TEXT,
    description: v.optional(v.string(), ''),
    expect: v.array(EXPECTED),
  }),
]);

const CASE = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/)),
  language: v.picklist(['ts', 'js', 'py', 'go', 'java', 'rs', 'rb', 'yaml']),
  kind: v.picklist(CASE_KINDS),
  licence: TEXT,
  source: TEXT,
  title: TEXT,
  description: v.optional(v.string(), ''),
  /** Inputs of the action besides those of all cases. */
  inputs: v.optional(v.record(v.string(), v.string()), {}),
  /** Who opens it; of somebody without write access nothing is trusted. */
  author: v.optional(v.picklist(['writer', 'stranger']), 'writer'),
  expect: v.optional(v.array(EXPECTED), []),
  allowed: v.optional(v.array(ALLOWED), []),
  forbidden: v.optional(v.array(FORBIDDEN), []),
  steps: v.optional(v.array(STEP), []),
  /** Files that are written when the case is loaded, to make a change large. */
  filler: v.optional(v.strictObject({ files: COUNT, functions: COUNT })),
  /** Texts that nothing posted may hold: what an injection asks for. */
  absent: v.optional(v.array(TEXT), []),
  /** Whether a review that asks for changes must hold after the first run. */
  blocked: v.optional(v.boolean()),
  /** What a scripted model does: for each run its turns, each a list of calls. */
  answers: v.optional(v.array(v.array(TURN)), []),
  verdicts: v.optional(v.array(VERDICT), []),
});

/** `case.json`. */
export type Case = v.InferOutput<typeof CASE>;

/** A fault that a change has. */
export type Expected = v.InferOutput<typeof EXPECTED>;

/** What happens after the first review. */
export type Step = v.InferOutput<typeof STEP>;

/** How somebody answers a finding. */
export type Answer = v.InferOutput<typeof ANSWER>;

/** A call of a scripted model. */
export type Call = v.InferOutput<typeof CALL>;

/** What a scripted second look says. */
export type ScriptedVerdict = v.InferOutput<typeof VERDICT>;

/** Reads `case.json`. Throws with the place of what is wrong in it. */
export function parseCase(text: string, file: string): Case {
  const read = v.safeParse(CASE, JSON.parse(text));
  if (!read.success) {
    const [issue] = read.issues;
    throw new UsageError(`${file}: ${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
  }
  const problem = problemOf(read.output);
  if (problem !== undefined) throw new UsageError(`${file}: ${problem}`);
  return read.output;
}

/** What no schema says. */
function problemOf({ expect, steps, kind }: Case): string | undefined {
  const ids = expect.map(({ id }) => id);
  const named = steps.flatMap((step) => {
    if ('push' in step) return [...step.settled, ...step.open];
    return 'answer' in step ? [step.answer.finding] : [];
  });
  const unknown = named.find((id) => !ids.includes(id));
  if (unknown !== undefined) return `a step names ${unknown}, which \`expect\` does not have`;
  if (new Set(ids).size < ids.length) return 'two findings of `expect` have one id';
  if (kind === 'clean' && ids.length > 0) return 'a clean change has nothing to find';
  return undefined;
}
