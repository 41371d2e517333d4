import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ForetoldValues,
  fixedTexts,
  nextRun,
  resultOfRun,
  type TestDraft,
  type TestedCode,
  type TestRun,
  whyNotRun,
  whyNotShown,
} from '../../findings/decide/demonstration.js';
import type { TestResult } from '../../findings/finding.js';
import { DEMONSTRATION } from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import { AxeError } from '../../lib/errors.js';

export { SAW_FILE } from './throw-away-run.js';

import { type CommittedFile, changedSinceHead, filesAtBase, isAtCommit } from '../../lib/git.js';
import type { ThrowAway } from './command-jail.js';

/** A test as a run of the bench needs it. */
type BenchTest = Pick<TestDraft, 'path' | 'test' | 'command'>;

/** Texts of files in place of those of the commit; undefined for a file that is deleted. */
type ChangedTexts = ReadonlyMap<string, string | undefined>;

/**
 * Runs tests over a checkout as its commit has it, each time in layers that are thrown away. Tracked
 * files are those of the commit, since an earlier command could have planted a fault in them.
 */
export interface TestBench {
  /** Texts of files at the commit; null for none. */
  texts(paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  exists(path: string): boolean;
  run(test: BenchTest, changed: ChangedTexts, signal: AbortSignal): Promise<TestRun>;
}

/**
 * Opens a bench over the checkout of a commit, or of a merge of it into another one. Throws an
 * AxeError if another commit is checked out.
 */
export async function openTestBench(
  throwAway: ThrowAway,
  place: {
    readonly workspace: string;
    readonly env: Environment;
    readonly head: string;
    /** The time of one run; left out: the usual one. */
    readonly timeoutMs?: number;
  },
  signal: AbortSignal,
): Promise<TestBench> {
  const { workspace, env, head, timeoutMs = DEMONSTRATION.runMs } = place;
  const options = { cwd: workspace, env, signal };
  if (!existsSync(join(workspace, '.git')) || !(await isAtCommit(head, options)))
    throw new AxeError(`the workspace is no checkout of ${head.slice(0, 7)}`);

  const changedFiles = await changedSinceHead(options);
  return {
    async texts(paths) {
      const files = await filesAtBase('HEAD', paths, options);
      const contents = new Map(files.map(({ path, content }) => [path, content]));
      return new Map(paths.map((path) => [path, contents.get(path) ?? null]));
    },
    exists: (path) => existsSync(join(workspace, path)),
    async run({ path, test, command }, changed, runSignal) {
      const texts = new Map([...changed, [path, test]]);
      const written = [...texts].flatMap(([name, text]) =>
        text === undefined ? [] : asFile(name, text),
      );
      const files = [...changedFiles.filter((file) => !texts.has(file.path)), ...written];
      const deleted = [...texts].flatMap(([name, text]) => (text === undefined ? name : []));
      return await throwAway({ command, files, deleted, timeoutMs }, runSignal);
    },
  };
}

function asFile(path: string, text: string): CommittedFile {
  return { path, kind: 'file', content: Buffer.from(text) };
}

/** A test that was run on the code as it is and with a fix. */
export type Demonstration =
  | {
      readonly kind: 'shown';
      /** Runs on each code. */
      readonly times: number;
      /** Printed on the code as it is. */
      readonly output: string;
    }
  | { readonly kind: 'none'; readonly why: string; readonly output: string }
  | { readonly kind: 'not-run'; readonly why: string };

interface DemonstrationLimits {
  readonly maxMs: number;
  /** See `nextRun`. */
  readonly quickMs?: number;
  /** Outbound cleaning: a comment shows the test. */
  clean(markdown: string): string;
}

/** Runs a test of a model as often as it takes to believe it, for at most `maxMs`. */
export async function demonstrate(
  draft: TestDraft,
  bench: TestBench,
  { maxMs, quickMs, clean }: DemonstrationLimits,
  signal: AbortSignal,
): Promise<Demonstration> {
  const texts = await bench.texts([...new Set(draft.fix.map(({ path }) => path))]);
  const problem = whyNotRun(draft, { exists: bench.exists(draft.path), texts, clean });
  if (problem !== undefined) return { kind: 'not-run', why: problem };

  const changes: Readonly<Record<TestedCode, ChangedTexts>> = {
    head: new Map(),
    fix: fixedTexts(draft.fix, texts),
  };
  let [spentMs, runs, output] = [0, 0, ''];
  for (;;) {
    const code = nextRun(runs, spentMs, quickMs);
    if (code === undefined) return { kind: 'shown', times: runs / 2, output };
    if (spentMs >= maxMs) return { kind: 'none', why: 'its runs take too long', output };

    const result = await bench.run(draft, changes[code], signal);
    const doubt = whyNotShown(result, code, draft);
    if (doubt !== undefined) return { kind: 'none', why: doubt, output: result.output };
    if (code === 'head') output = result.output;
    spentMs += result.ms;
    runs += 1;
  }
}

/** Runs a test of an earlier run on the code as it is; a second time if it passes. @internal */
export async function runAgain(
  test: BenchTest & ForetoldValues,
  bench: TestBench,
  signal: AbortSignal,
): Promise<TestResult> {
  const resultNow = async () => resultOfRun(await bench.run(test, new Map(), signal), test);
  const first = await resultNow();
  if (first !== 'passes') return first;
  return (await resultNow()) === 'passes' ? 'passes' : 'unclear';
}

/** The end of an output, which says most. */
export function lastLines(output: string): string {
  const { outputLines, lineCharacters } = DEMONSTRATION;
  return output
    .trimEnd()
    .split('\n')
    .slice(-outputLines)
    .map((line) => line.slice(0, lineCharacters).toWellFormed())
    .join('\n');
}
