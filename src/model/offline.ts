import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider';
import { AxeError } from '../lib/errors.js';
import { cleanLine } from '../lib/text/cut.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import type { LanguageModel } from '../loop/messages.js';
import { FENCE_NOTICE, parseFences } from '../safety/fence.js';
import { findInDiff, RULE_FACTS, type RuleFinding } from './offline-rules.js';

/**
 * `offline/rules`: a language model that is none. It answers from what it is sent, by fixed rules, always the same; it
 * asks no network, needs no key and uses no tokens. What it finds in a diff it adds to a review where it is offered the
 * tools of one (D32). Throws an AxeError for another name.
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

function generate({
  prompt,
  tools = [],
  abortSignal,
}: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  abortSignal?.throwIfAborted();
  const system = prompt.flatMap((one) => (one.role === 'system' ? [one.content] : [])).join('\n\n');
  const last = prompt.findLast((one) => one.role === 'user');
  const parts = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  const message = parts.join('\n\n');
  const isFirstTurn = !prompt.some(({ role }) => role === 'tool');
  const calls = isFirstTurn ? reviewCalls(message, new Set(tools.map(({ name }) => name))) : [];
  const isReview = calls.length > 0;
  return {
    content: isReview ? calls.map(asContent) : [{ type: 'text', text: answerOffline(system, message) }],
    finishReason: isReview ? { unified: 'tool-calls', raw: 'tool-calls' } : { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    response: { modelId: MODEL_ID },
    warnings: [],
  };
}

/** A tool that the rules ask for. */
interface OfflineCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

function asContent({ name, input }: OfflineCall, index: number): LanguageModelV4Content {
  const toolCallId = `call-${index + 1}`;
  return { type: 'tool-call', toolCallId, toolName: name, input: JSON.stringify(input) };
}

/** More would be refused. */
const MAX_COMMENTS = 50;

/**
 * What the rules find in the diff of a message as calls of the tools of a review; none where there is no diff, or where
 * those tools are not offered. What is about no line is in the summary.
 */
function reviewCalls(message: string, offered: ReadonlySet<string>): readonly OfflineCall[] {
  if (!offered.has('add_review_comment') || !offered.has('submit_review')) return [];
  const diffs = diffsIn(message);
  if (diffs.length === 0) return [];
  const files = diffs.flatMap(parseDiff);
  const findings = findInDiff(files);
  const earlier = findingsIn(message, 'open findings');
  const decided = findingsIn(message, 'decided findings');
  const ends = offered.has('settle_finding') ? settleCalls(earlier, files, findings) : [];
  const comments = findings.flatMap((finding) => commentCalls(finding, files, [...earlier, ...decided]));
  const others = findings
    .filter(({ line }) => line === undefined)
    .map(({ path, message: body }) => `- ${path === undefined ? '' : `\`${path}\`: `}${body}`);
  const summary = [
    `${RULES} ${lookedAt(files, message)}`,
    ...(others.length === 0 ? [] : [others.join('\n')]),
  ];
  return [
    ...ends,
    ...comments.slice(0, MAX_COMMENTS),
    { name: 'submit_review', input: { summary: summary.join('\n\n') } },
  ];
}

function commentCalls(
  { rule, path, line, message }: RuleFinding,
  files: readonly DiffFile[],
  earlier: readonly OpenFinding[],
): readonly OfflineCall[] {
  if (path === undefined || line === undefined) return [];
  const facts = RULE_FACTS[rule];
  const before = earlier.find((one) => one.path === path && one.title === facts.title && one.line === line);
  const addedLine = files
    .filter((one) => one.path === path)
    .flatMap(({ hunks }) => hunks.flatMap((one) => one.lines))
    .find((one) => one.kind === 'added' && one.newLine === line);
  const input = {
    path,
    line,
    code: addedLine?.text ?? '',
    ...facts,
    body: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
    same_as: before?.name,
  };
  return [{ name: 'add_review_comment', input }];
}

interface OpenFinding {
  readonly name: string;
  readonly path: string;
  readonly line: number | undefined;
  readonly title: string;
}

function findingsIn(message: string, source: string): readonly OpenFinding[] {
  const list = parseFences(message).fences.find((one) => one.source === source)?.text ?? '';
  return [...list.matchAll(/^- (F[A-Z0-9]{4}) (\S+?)(?::(\d+))?(?: [a-z-]+)* — "(.*?)"(?: \(.*\))?$/gm)].map(
    ([, name = '', path = '', line, title = '']) => {
      return { name, path, line: line === undefined ? undefined : Number(line), title };
    },
  );
}

/** An earlier finding is settled where its file was changed and the rule finds nothing in it any more. */
function settleCalls(
  earlier: readonly OpenFinding[],
  files: readonly DiffFile[],
  findings: readonly RuleFinding[],
): readonly OfflineCall[] {
  return earlier.flatMap(({ name, path, title }) => {
    const isFound = findings.some((one) => one.path === path && RULE_FACTS[one.rule].title === title);
    const fix = isFound
      ? undefined
      : (changedLineOf(files, path, 'added') ?? changedLineOf(files, path, 'removed'));
    if (fix === undefined) return [];
    const reason = 'The rule finds nothing in this file any more.';
    const input = { finding: name, how: 'fixed', reason, evidence: [{ path, ...fix }] };
    return [{ name: 'settle_finding', input }];
  });
}

function changedLineOf(
  files: readonly DiffFile[],
  path: string,
  kind: 'added' | 'removed',
): { readonly line: number; readonly code: string } | undefined {
  for (const file of files.filter((one) => one.path === path)) {
    for (const line of file.hunks.flatMap(({ lines }) => lines)) {
      if (line.kind !== kind || line.text.trim() === '') continue;
      return { line: line.kind === 'added' ? line.newLine : line.oldLine, code: line.text };
    }
  }
  return undefined;
}

const RULES =
  '**No model wrote this.** It is what `offline/rules` found, a set of fixed rules that understand nothing.';

/**
 * The answer of `offline/rules`, markdown: a review if the message holds a diff, else what the rules can do. `message` is the
 * last of the user's. The answer begins by saying that no model wrote it and ends with what it was given of memory (D32).
 */
function answerOffline(system: string, message: string): string {
  const { rest } = parseFences(message);
  const task = firstLine(rest.replace(FENCE_NOTICE, ''));
  const diffs = diffsIn(message);
  const body = diffs.length > 0 ? review(diffs, message) : introduce(task);
  return [WHAT_THIS_IS, ...body, describeMemory(system)].join('\n\n');
}

const WHAT_THIS_IS =
  '**No model wrote this.** It is the answer of `offline/rules`, a set of fixed rules that need no key and no network. They look for patterns and understand nothing; name a real model in `model` for a real answer.';

/** The diffs of a message, those in its fences first. */
function diffsIn(message: string): readonly string[] {
  const { fences, rest } = parseFences(message);
  const texts = [...fences.map(({ text }) => text), rest];
  return texts.filter((text) => /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text));
}

const MAX_TASK = 120;

/** Of a diff that was piped as the task, the first line says nothing. */
function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return cleanLine(line, MAX_TASK).replaceAll('`', "'");
}

function review(diffs: readonly string[], message: string): readonly string[] {
  const files = diffs.flatMap(parseDiff);
  return [lookedAt(files, message), formatFindings(findInDiff(files))];
}

/** How much was looked at, and how much was not. */
function lookedAt(files: readonly DiffFile[], message: string): string {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  const binary = files.filter(({ content }) => content === 'binary').length;
  const parts = [`Looked at ${count(files.length, 'file')} (+${added} −${removed}).`];
  if (binary > 0) parts.push(`${count(binary, 'binary file')} could not be looked into.`);
  const missing = parseFences(message).fences.find(({ source }) => source === 'files not shown');
  if (missing !== undefined)
    parts.push(
      `${count(missing.text.split('\n').length, 'file')} of the change could not be read, or only in part.`,
    );
  return parts.join(' ');
}

/** More would be longer than anybody reads. */
const MAX_FINDINGS = 50;

function formatFindings(findings: readonly RuleFinding[]): string {
  if (findings.length === 0)
    return 'None of the rules found anything. That is not a judgement of the change.';
  const lines = findings.slice(0, MAX_FINDINGS).map(formatFinding);
  if (findings.length > MAX_FINDINGS) lines.push(`- and ${findings.length - MAX_FINDINGS} more`);
  return `### ${count(findings.length, 'finding')}\n\n${lines.join('\n')}`;
}

const MAX_PATH = 300;

function formatFinding({ rule, path, line, message }: RuleFinding): string {
  if (path === undefined) return `- ${message} (${rule})`;
  const place = cleanLine(path, MAX_PATH).replaceAll('`', "'") + (line === undefined ? '' : `:${line}`);
  return `- \`${place}\`: ${message} (${rule})`;
}

function introduce(task: string): readonly string[] {
  return [
    ...(task === '' ? [] : [`The task was: \`${task}\``]),
    'The rules can review a diff (conflict markers, secrets, debug output, lost `await`s, TODOs, code without tests). None was sent.',
  ];
}

/** Whether memory works can be seen from this: the entries that came with the system prompt, and the newest one. */
function describeMemory(system: string): string {
  const section =
    system
      .split(/^## Memory$/m)
      .slice(1)
      .at(-1) ?? '';
  const entries = section.matchAll(/^## (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)\s*$/gm);
  const times = Array.from(entries, ([, time = '']) => time);
  const newest = times.toSorted().at(-1);
  if (newest === undefined) return 'Memory: no earlier entries were given.';
  return `Memory: ${count(times.length, 'earlier entry')} given; the newest is of ${newest}.`;
}
