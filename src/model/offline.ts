import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { Category, FindingEffect, Reach } from '../findings/finding.js';
import { AxeError } from '../lib/errors.js';
import { type DiffFile, parseNumbered } from '../lib/text/diff.js';
import { cleanLine, count } from '../lib/text/format.js';
import type { LanguageModel } from '../loop/messages.js';
import { isReadByPeople } from '../prompt/diff-pack.js';
import { type FencedText, parseFences } from '../safety/fence.js';
import { findTokens } from '../safety/secrets.js';

/**
 * `offline/rules`: a language model that is none. It answers from what it is sent, by fixed rules,
 * always the same; it asks no network, needs no key and uses no tokens. What it finds in a diff it
 * adds to a review where it is offered the tools of one. Throws an AxeError for another name.
 */
export function createOfflineModel(model = MODEL_ID): LanguageModel {
  if (model !== MODEL_ID)
    throw new AxeError(`there is no model "offline/${model}"`, {
      remedy: `The offline rules are \`offline/${MODEL_ID}\`.`,
    });
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: MODEL_ID,
    supportedUrls: {},
    doGenerate: async (options) => generate(options),
  };
}

const MODEL_ID = 'rules';

/** More would be longer than anybody reads, and a review refuses it. */
const MAX_FINDINGS = 50;

const WHAT_THIS_IS =
  '**No model wrote this.** It is what `offline/rules` found, a set of fixed rules that understand nothing.';

function generate({
  prompt,
  tools = [],
  abortSignal,
}: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  abortSignal?.throwIfAborted();
  const last = prompt.findLast((message) => message.role === 'user');
  const parts = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  const { fences, rest } = parseFences(parts.join('\n\n'));
  const files = [...fences.map(({ text }) => text), rest]
    .filter((text) => DIFF.test(text))
    .flatMap(parseNumbered);
  const offered = new Set(tools.map(({ name }) => name));
  const isReview =
    files.length > 0 &&
    offered.has('add_review_comment') &&
    offered.has('submit_review') &&
    !prompt.some(({ role }) => role === 'tool');
  const calls = isReview ? reviewCalls(files, fences, offered.has('settle_finding')) : [];
  return {
    content: isReview
      ? calls.map(({ name, input }, index) => ({
          type: 'tool-call',
          toolCallId: `call-${index + 1}`,
          toolName: name,
          input: JSON.stringify(input),
        }))
      : [{ type: 'text', text: answer(files, fences) }],
    finishReason: isReview
      ? { unified: 'tool-calls', raw: 'tool-calls' }
      : { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    response: { modelId: MODEL_ID },
    warnings: [],
  };
}

const DIFF = /^(?:diff --git |--- .*\n\+\+\+ )/m;

interface OfflineCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The rules' findings as calls of a review's tools. Findings about no line are in the summary. */
function reviewCalls(
  files: readonly DiffFile[],
  fences: readonly FencedText[],
  canSettle: boolean,
): readonly OfflineCall[] {
  const findings = findInDiff(files);
  const earlier = findingsIn(fences, 'open findings');
  const known = [...earlier, ...findingsIn(fences, 'decided findings')];
  const ends = canSettle ? earlier.flatMap((finding) => settleCalls(finding, files, findings)) : [];
  const comments = findings.flatMap((finding) => commentCalls(finding, files, known));
  const others = findings.filter(({ line }) => line === undefined);
  const summary = [`${WHAT_THIS_IS} ${lookedAt(files, fences)}`, formatList(others)].filter(
    Boolean,
  );
  return [
    ...ends,
    ...comments.slice(0, MAX_FINDINGS),
    { name: 'submit_review', input: { summary: summary.join('\n\n') } },
  ];
}

function commentCalls(
  { rule, path, line, message }: RuleFinding,
  files: readonly DiffFile[],
  known: readonly KnownFinding[],
): readonly OfflineCall[] {
  if (path === undefined || line === undefined) return [];
  const facts = RULE_FACTS[rule];
  const before = known.find(
    (finding) => finding.path === path && finding.title === facts.title && finding.line === line,
  );
  const added = linesOf(files, path).find((text) => text.kind === 'added' && text.newLine === line);
  const input = {
    path,
    line,
    code: added?.text ?? '',
    ...facts,
    body: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    same_as: before?.name,
  };
  return [{ name: 'add_review_comment', input }];
}

interface KnownFinding {
  readonly name: string;
  readonly path: string;
  readonly line: number | undefined;
  readonly title: string;
}

function findingsIn(fences: readonly FencedText[], source: string): readonly KnownFinding[] {
  const list = fences.find((fence) => fence.source === source)?.text ?? '';
  return [
    ...list.matchAll(/^- (F[A-Z0-9]{4}) (\S+?)(?::(\d+))?(?: [a-z-]+)* — "(.*?)"(?: \(.*\))?$/gm),
  ].map(([, name = '', path = '', line, title = '']) => {
    return { name, path, line: line === undefined ? undefined : Number(line), title };
  });
}

/**
 * An earlier finding is settled where its file was changed and the rule finds nothing in it any
 * more.
 */
function settleCalls(
  { name, path, title }: KnownFinding,
  files: readonly DiffFile[],
  findings: readonly RuleFinding[],
): readonly OfflineCall[] {
  if (findings.some((finding) => finding.path === path && RULE_FACTS[finding.rule].title === title))
    return [];
  const changed = linesOf(files, path).filter(
    ({ kind, text }) => kind !== 'context' && text.trim() !== '',
  );
  const fix = changed.find(({ kind }) => kind === 'added') ?? changed[0];
  if (fix === undefined) return [];
  const evidence = [
    { path, line: fix.kind === 'removed' ? fix.oldLine : fix.newLine, code: fix.text },
  ];
  const reason = 'The rule finds nothing in this file any more.';
  return [{ name: 'settle_finding', input: { finding: name, how: 'fixed', reason, evidence } }];
}

function linesOf(files: readonly DiffFile[], path: string) {
  return files
    .filter((file) => file.path === path)
    .flatMap(({ hunks }) => hunks)
    .flatMap(({ lines }) => lines);
}

/** An answer in words, which begins by saying that no model wrote it. */
function answer(files: readonly DiffFile[], fences: readonly FencedText[]): string {
  if (files.length === 0) return `${WHAT_THIS_IS} They can review a diff, and none was sent.`;
  return `${WHAT_THIS_IS} ${lookedAt(files, fences)}\n\n${formatList(findInDiff(files)) || NOTHING_FOUND}`;
}

const NOTHING_FOUND = 'None of the rules found anything. That is not a judgement of the change.';

/** The size of what was read, and of what was not. */
function lookedAt(files: readonly DiffFile[], fences: readonly FencedText[]): string {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  const seen = `Looked at ${count(files.length, 'file')} (+${added} −${removed}).`;
  const missing = fences.find(({ source }) => source === 'files not shown');
  if (missing === undefined) return seen;
  const unseen = count(missing.text.split('\n').length, 'file');
  return `${seen} ${unseen} of the change could not be read, or only in part.`;
}

const MAX_PATH = 300;

function formatList(findings: readonly RuleFinding[]): string {
  const lines = findings.slice(0, MAX_FINDINGS).map(({ path, line, message }) => {
    if (path === undefined) return `- ${message}`;
    const place = cleanLine(path, MAX_PATH).replaceAll('`', "'");
    return `- \`${place}${line === undefined ? '' : `:${line}`}\`: ${message}`;
  });
  if (findings.length > MAX_FINDINGS) lines.push(`- and ${findings.length - MAX_FINDINGS} more`);
  return lines.join('\n');
}

/** The debug output in a line, in the language of the file's ending; undefined for none. */
function debugOutputIn(path: string, line: string): string | undefined {
  const language = LANGUAGES.find(({ endings }) => endings.includes(endingOf(path)));
  const code = line.trimStart();
  return language?.comment.test(code) === false ? language.debug.exec(code)?.[1] : undefined;
}

/** True if a path is a test's, or of something that only tests use, in common languages. */
function isTest(path: string): boolean {
  const lower = path.toLowerCase();
  return (
    /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|testing|testdata|fixtures|e2e)\//.test(lower) ||
    /(?:^|\/)(?:test_[^/]*|conftest\.py)$|[._-](?:test|tests|spec)\.\w+$/.test(lower) ||
    /Tests?\.(?:java|kt|cs|swift|php|scala)$/.test(path)
  );
}

/**
 * By the endings of files: how their comments begin, and what prints; group 1 is what is named in
 * the finding.
 */
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

/** The facts of each rule's findings. Findings are listed in the order of these rules. */
const RULE_FACTS = {
  'conflict-marker': factsOf('A conflict marker was committed', 'correctness', 'failure'),
  secret: factsOf('A line looks like a secret', 'security', 'breach', 'common'),
  'lost-await': factsOf('A promise is no longer awaited', 'correctness', 'failure'),
  'debug-output': factsOf('Debug output outside of tests', 'other'),
  todo: factsOf('A new TODO or FIXME', 'other'),
  'tests-untouched': factsOf('Code changed, but no tests', 'test'),
};

/** @internal */
export type RuleId = keyof typeof RULE_FACTS;

function factsOf(
  title: string,
  category: Category,
  effect: FindingEffect = 'upkeep',
  reach: Reach = 'always',
): { title: string; category: Category; effect: FindingEffect; reach: Reach } {
  return { title, category, effect, reach };
}

interface RuleFinding {
  readonly rule: RuleId;
  /** Undefined if it is about the change as a whole. */
  readonly path: string | undefined;
  /** A line of the new file; undefined if it is about the change as a whole. */
  readonly line: number | undefined;
  /** For people; never quotes the line, which may hold a secret. */
  readonly message: string;
}

/** The findings in a change, by rule, then in the order of the diff. @internal */
export function findInDiff(files: readonly DiffFile[]): readonly RuleFinding[] {
  const findings = [...files.flatMap(findInLines), ...findInChange(files)];
  return Object.keys(RULE_FACTS).flatMap((rule) =>
    findings.filter((finding) => finding.rule === rule),
  );
}

function findInLines(file: DiffFile): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  const isRead = isReadByPeople(file);
  const awaited = statementsThatWaited(file);
  for (const { line, text } of addedLines(file)) {
    const add = (rule: RuleId, message: string) =>
      findings.push({ rule, path: file.path, line, message });
    if (CONFLICT_MARKER.test(text)) add('conflict-marker', 'a conflict marker was committed');
    for (const name of new Set(findTokens(text).map((token) => token.name))) {
      add(
        'secret',
        `this looks like ${name}; if it is real, revoke it, since it stays in the history`,
      );
    }
    if (!isRead) continue;
    if (awaited.has(text.trim()))
      add(
        'lost-await',
        'the line lost its `await`: nothing waits for its result, and nobody sees its error',
      );
    const debug = isTest(file.path) ? undefined : debugOutputIn(file.path, text);
    if (debug !== undefined) add('debug-output', `debug output (\`${debug}\`) outside of tests`);
    const [mark] = TODO.exec(text) ?? [];
    if (mark !== undefined) add('todo', `a new ${mark}`);
  }
  return findings;
}

/**
 * Removed statements that began with `await`, without it. Assigned values are not among them: they
 * can be awaited further down.
 */
function statementsThatWaited({ hunks }: DiffFile): ReadonlySet<string> {
  const removed = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'removed');
  return new Set(removed.flatMap(({ text }) => /^await (.+)$/.exec(text.trim())?.[1] ?? []));
}

/** Seven characters, as git writes them; a row of `=` alone is also a heading in markdown. */
const CONFLICT_MARKER = /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/;
const TODO = /\b(?:TODO|FIXME|XXX)\b/;

function addedLines({
  hunks,
}: DiffFile): readonly { readonly line: number; readonly text: string }[] {
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
