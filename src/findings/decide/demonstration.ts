import { rightsOf, type Word } from '../../event/trust.js';
import { DEMONSTRATION } from '../../lib/defaults.js';
import { utf8Bytes } from '../../lib/text/bytes.js';
import { cleanLine, codeBlock } from '../../lib/text/format.js';
import { hiddenIn } from '../../safety/hidden.js';
import type { FindingTest, TestResult } from '../finding.js';
import type { KnownFinding, TestedEnd } from '../known-finding.js';

/**
 * The rules of a demonstration: a new test file that fails on the code as it is, passes with a fix,
 * and each time has written down the value that was foretold. Nothing here runs anything, and the
 * output of a test decides nothing.
 */

/** One run of a test. */
export interface TestRun {
  /** Its exit status; null if a signal ended it, `time` if its time was up. */
  readonly exit: number | null | 'time';
  /** The value that it has written down; empty for none. */
  readonly saw: string;
  /** Printed by it, for people. */
  readonly output: string;
  readonly ms: number;
}

/** Replaces `code`, which is in the file once, with `instead`. */
interface FixEdit {
  readonly path: string;
  readonly code: string;
  readonly instead: string;
}

/** The values that a test writes down, foretold: with the fault, and without it. */
export interface ForetoldValues {
  readonly withFault: string;
  readonly withoutFault: string;
}

/** A test that a model wants to run, as it was given. */
export interface TestDraft extends ForetoldValues {
  readonly path: string;
  readonly test: string;
  readonly command: string;
  readonly fix: readonly FixEdit[];
}

const MAX_TEST_BYTES = 16 * 1024;
const MAX_COMMAND = 300;
const MAX_VALUE = 100;
const MAX_EDITS = 3;
const MAX_FIX_LINES = 40;
const MAX_PATH_BYTES = 200;

/** Facts about the files of a draft. */
interface DraftFiles {
  /** The path of the test exists already. */
  readonly exists: boolean;
  /** Texts of tracked files at HEAD by path; null for none. */
  readonly texts: ReadonlyMap<string, string | null>;
  /** Outbound cleaning: a comment shows the whole test. */
  clean(markdown: string): string;
}

/** The reason why a draft is not run, as half a sentence for the model; undefined if it can be. */
export function whyNotRun(draft: TestDraft, files: DraftFiles): string | undefined {
  return (
    problemOfTest(draft, files) ??
    problemOfValues(draft) ??
    problemOfFix(draft, files) ??
    problemOfSize(draft) ??
    problemOfNames(draft, files) ??
    (readsFix(draft) ? 'the test reads the code as text, and text is no behaviour' : undefined)
  );
}

function problemOfTest(
  { path, test, command }: TestDraft,
  { exists, clean }: DraftFiles,
): string | undefined {
  const isPlain = /^[\w@+-][\w@+.-]*(?:\/[\w@+-][\w@+.-]*)*$/.test(path);
  if (!isPlain || utf8Bytes(path) > MAX_PATH_BYTES)
    return '`path` has to be a relative path with plain names, none of which begins with a dot';
  if (exists) return '`path` has to be a new file';
  if (test.trim() === '') return '`test` is empty';
  if (utf8Bytes(test) > MAX_TEST_BYTES) return '`test` has more than 16 KB';
  if (test.split('\n').some((line) => hiddenIn(line.replace(/\r$/, '')) !== undefined))
    return '`test` has hidden characters';
  if (!isLine(command, MAX_COMMAND))
    return '`command` has to be one line of at most 300 characters';
  const shown = codeBlock(`${test}\n${command}`, '');
  return clean(shown) === shown
    ? undefined
    : 'the test or its command has something that is not posted, such as the shape of a key';
}

function problemOfValues({ withFault, withoutFault }: TestDraft): string | undefined {
  if (!isLine(withFault, MAX_VALUE) || !isLine(withoutFault, MAX_VALUE))
    return '`with_fault` and `without_fault` have to be one line of at most 100 characters each';
  return withFault === withoutFault
    ? '`with_fault` and `without_fault` have to be different'
    : undefined;
}

function isLine(text: string, most: number): boolean {
  return text.trim() !== '' && [...text].length <= most && !/\p{Cc}/u.test(text);
}

function problemOfFix({ fix }: TestDraft, { texts }: DraftFiles): string | undefined {
  if (fix.length === 0) return '`fix` is missing: without one nobody knows what the test expects';
  if (fix.length > MAX_EDITS) return '`fix` has more than 3 changes';
  const edited = new Map(texts);
  for (const { path, code, instead } of fix) {
    const text = edited.get(path) ?? null;
    if (text === null) return `\`fix\`: ${path} is not a tracked file`;
    if (code === '' || text.split(code).length !== 2)
      return `\`fix\`: \`code\` has to be in ${path} exactly once`;
    if (instead.split('\n').length > MAX_FIX_LINES) return '`fix` has more than 40 lines';
    edited.set(
      path,
      text.replace(code, () => instead),
    );
  }
  return undefined;
}

/** Bytes of the words that the record keeps of a test. */
const MAX_KEPT_BYTES = 450;

function problemOfSize(draft: TestDraft): string | undefined {
  const { path, command, withFault, withoutFault, fix } = draft;
  const words = [path, command, withFault, withoutFault, ...fix.map((edit) => edit.path)];
  return utf8Bytes(words.join('')) > MAX_KEPT_BYTES
    ? `\`path\`, \`command\`, the values and the paths of \`fix\` have more than ${MAX_KEPT_BYTES} bytes together`
    : undefined;
}

/** The files that a fix changes, with the fix. The draft was checked. */
export function fixedTexts(
  fix: readonly FixEdit[],
  texts: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string> {
  const fixed = new Map<string, string>();
  for (const { path, code, instead } of fix) {
    const text = fixed.get(path) ?? texts.get(path) ?? '';
    fixed.set(
      path,
      text.replace(code, () => instead),
    );
  }
  return fixed;
}

/** A name that does not exist yet is not a fault. */
function problemOfNames({ test, fix }: TestDraft, { texts }: DraftFiles): string | undefined {
  for (const { path, instead } of fix) {
    const known = new Set((texts.get(path) ?? '').match(/[\w$]+/g));
    const defined = [...instead.matchAll(DEFINITION)].flatMap(
      (match) => match.slice(1).find((group) => group !== undefined) ?? [],
    );
    const used = new Set(test.match(/[\w$]+/g));
    const unknown = defined.find((name) => !known.has(name) && used.has(name));
    if (unknown !== undefined) return `the test uses \`${unknown}\`, which only the fix defines`;
  }
  return undefined;
}

const DEFINITION =
  /\b(?:function|class|def|func|const|let|var|fn|type|interface|struct|enum)\s+(?:\([^)]*\)\s*)?([\w$]+)|\bexports\.([\w$]+)\s*=|^\s*([\w$]+)\s*(?:\(\)\s*\{|=[^=])/gm;

/** A line of the test has a word for reading with the name of a file of the fix. */
function readsFix({ test, fix }: TestDraft): boolean {
  const names = fix.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  return test
    .split('\n')
    .some((line) =>
      names.some((name) => line.includes(name) && READING.test(line.replaceAll(name, ''))),
    );
}

const READING =
  /\b(?:readFile\w*|open|read_text|ReadFile|createReadStream|file_get_contents|cat|grep|sed|awk|head|tail)\b/;

/** The code that a run is over. */
export type TestedCode = 'head' | 'fix';

/** The code for the next run; undefined if the demonstration is complete. */
export function nextRun(
  runs: number,
  spentMs: number,
  quickMs: number = DEMONSTRATION.quickMs,
): TestedCode | undefined {
  const { runs: limits } = DEMONSTRATION;
  const code = runs % 2 === 0 ? 'head' : 'fix';
  if (runs < limits.least || code === 'fix') return code;
  return runs < limits.most && spentMs < quickMs ? code : undefined;
}

/** The reason why a run shows nothing, as half a sentence; undefined if it ended as foretold. */
export function whyNotShown(
  { exit, saw }: TestRun,
  code: TestedCode,
  { withFault, withoutFault }: ForetoldValues,
): string | undefined {
  if (exit === 'time') return 'it did not end in time';
  if (saw === '') return `it did not get to its check (it ended with ${formatExit(exit)})`;
  if (code === 'head' && exit === 0) return 'it passes on the code as it is';
  if (code === 'fix' && exit !== 0) return 'it fails with the fix, too';
  if (code === 'head' && !isFailure(exit)) return `it ended with ${formatExit(exit)}`;
  const foretold = code === 'head' ? withFault : withoutFault;
  return saw === foretold ? undefined : `it saw "${shortValue(saw)}", not "${foretold}"`;
}

/** A failed test: higher statuses come from a shell, `xargs` or a signal. */
function isFailure(exit: TestRun['exit']): boolean {
  return typeof exit === 'number' && exit > 0 && exit < 124;
}

function formatExit(exit: number | null): string {
  return exit === null ? 'a signal' : `status ${exit}`;
}

function shortValue(value: string): string {
  return cleanLine(value, 40);
}

/** The result of one run. */
export function resultOfRun(
  { exit, saw }: TestRun,
  { withFault, withoutFault }: ForetoldValues,
): TestResult {
  if (exit === 0 && saw === withoutFault) return 'passes';
  return isFailure(exit) && saw === withFault ? 'fails' : 'unclear';
}

/**
 * Decides what the pass of a test after a push is worth. A second look decides if the code that the
 * test is about is as it was, or if strangers could have had a part in the test or in this run.
 */
export function endByTest(
  { test, isGone }: Pick<KnownFinding, 'isGone'> & { readonly test: FindingTest },
  pushed: ReadonlySet<string>,
  word: Word,
): TestedEnd {
  const isChanged = isGone || test.fixed.some((path) => pushed.has(path));
  const isOwn = [test.words, word].every((by) => rightsOf(by).demonstrates === 'alone');
  return isChanged && isOwn ? 'alone' : 'look';
}
