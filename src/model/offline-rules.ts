import type { DiffFile } from '../lib/text/diff.js';
import { count } from '../lib/text/format.js';
import { isReadByPeople } from '../prompt/diff-pack.js';
import type { Category, FindingEffect, Reach } from '../review/finding.js';
import { findTokens } from '../safety/secrets.js';

/** What a line prints for its author's eyes only, by the language its file's ending tells; undefined for none. */
function debugOutputIn(path: string, line: string): string | undefined {
  const language = LANGUAGES.find(({ endings }) => endings.includes(endingOf(path)));
  const code = line.trimStart();
  return language?.comment.test(code) === false ? language.debug.exec(code)?.[1] : undefined;
}

/** Whether a path is that of a test, or of something only tests use, by the habits of the common languages. */
function isTest(path: string): boolean {
  const lower = path.toLowerCase();
  return (
    /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|testing|testdata|fixtures|e2e)\//.test(lower) ||
    /(?:^|\/)(?:test_[^/]*|conftest\.py)$|[._-](?:test|tests|spec)\.\w+$/.test(lower) ||
    /Tests?\.(?:java|kt|cs|swift|php|scala)$/.test(path)
  );
}

/** By the endings of files: how their comments begin, and what prints; group 1 is what is named in the finding. */
const LANGUAGES = [
  {
    endings: ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte'],
    comment: /^(?:\/\/|\/?\*)/,
    debug: /(?<![\w.$])(console\.(?:log|debug|trace|dir|table)(?=\()|debugger(?=\s*;|\s*$))/,
  },
  {
    endings: ['py', 'pyi'],
    comment: /^#/,
    debug: /(?<![\w.])(p?print(?=\()|breakpoint(?=\()|i?pdb\.set_trace(?=\())/,
  },
  {
    endings: ['go'],
    comment: /^\/\//,
    debug: /(?<![\w.])(fmt\.Print(?:ln|f)?(?=\()|spew\.Dump(?=\())/,
  },
];

const CODE_ENDINGS: ReadonlySet<string> = new Set([
  ...LANGUAGES.flatMap(({ endings }) => endings),
  ...'rs php rb java kt kts scala cs swift ex exs c cc cpp cxx h hpp m mm dart lua pl pm sh bash zig'.split(
    ' ',
  ),
]);

function endingOf(path: string): string {
  return /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** What a finding of a rule says of itself, rules in the order in which findings are told (D32); a rule knows its facts. */
export const RULE_FACTS = {
  'conflict-marker': factsOf('A conflict marker was committed', 'correctness', 'failure'),
  secret: factsOf('A line looks like a secret', 'security', 'breach', 'common'),
  'lost-await': factsOf('A promise is no longer awaited', 'correctness', 'failure'),
  'debug-output': factsOf('Debug output outside of tests', 'other'),
  todo: factsOf('A new TODO or FIXME', 'other'),
  'tests-untouched': factsOf('Code changed, but no tests', 'test'),
};

export type RuleId = keyof typeof RULE_FACTS;

function factsOf(
  title: string,
  category: Category,
  effect: FindingEffect = 'upkeep',
  reach: Reach = 'always',
): { title: string; category: Category; effect: FindingEffect; reach: Reach } {
  return { title, category, effect, reach };
}

/** Something a rule has to say. */
export interface RuleFinding {
  readonly rule: RuleId;
  /** Undefined if it is about the change as a whole. */
  readonly path: string | undefined;
  /** Of the new file; undefined if it is about the change as a whole. */
  readonly line: number | undefined;
  /** For people; never quotes the line, which may hold a secret. */
  readonly message: string;
}

/** What the rules find in a change, by rule, then in the order of the diff. */
export function findInDiff(files: readonly DiffFile[]): readonly RuleFinding[] {
  const findings = [...files.flatMap(findInLines), ...findInChange(files)];
  return Object.keys(RULE_FACTS).flatMap((rule) => findings.filter((finding) => finding.rule === rule));
}

function findInLines(file: DiffFile): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  const isRead = isReadByPeople(file);
  const awaited = statementsThatWaited(file);
  for (const { line, text } of addedLines(file)) {
    const add = (rule: RuleId, message: string) => findings.push({ rule, path: file.path, line, message });
    if (CONFLICT_MARKER.test(text)) add('conflict-marker', 'a conflict marker was committed');
    for (const name of new Set(findTokens(text).map((token) => token.name))) {
      add('secret', `this looks like ${name}; if it is real, revoke it, since it stays in the history`);
    }
    if (!isRead) continue;
    if (awaited.has(text.trim()))
      add('lost-await', 'the line lost its `await`: nothing waits for its result, and nobody sees its error');
    const debug = isTest(file.path) ? undefined : debugOutputIn(file.path, text);
    if (debug !== undefined) add('debug-output', `debug output (\`${debug}\`) outside of tests`);
    const [mark] = TODO.exec(text) ?? [];
    if (mark !== undefined) add('todo', `a new ${mark}`);
  }
  return findings;
}

/** What followed the `await` of each statement that was removed; a value that is assigned may be awaited further down. */
function statementsThatWaited({ hunks }: DiffFile): ReadonlySet<string> {
  const removed = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'removed');
  return new Set(removed.flatMap(({ text }) => /^await (.+)$/.exec(text.trim())?.[1] ?? []));
}

/** Seven characters, as git writes them; a row of `=` alone is also a heading in markdown. */
const CONFLICT_MARKER = /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/;
const TODO = /\b(?:TODO|FIXME|XXX)\b/;

function addedLines({ hunks }: DiffFile): readonly { readonly line: number; readonly text: string }[] {
  return hunks
    .flatMap(({ lines }) => lines)
    .flatMap((line) => (line.kind === 'added' ? [{ line: line.newLine, text: line.text }] : []));
}

function findInChange(files: readonly DiffFile[]): readonly RuleFinding[] {
  const code = files.filter(
    (file) =>
      isReadByPeople(file) &&
      CODE_ENDINGS.has(endingOf(file.path)) &&
      !isTest(file.path) &&
      file.additions > 0,
  );
  if (code.length === 0 || files.some(({ path }) => isTest(path))) return [];
  const message = `${count(code.length, 'code file')} changed, but no tests`;
  return [{ rule: 'tests-untouched', path: undefined, line: undefined, message }];
}
