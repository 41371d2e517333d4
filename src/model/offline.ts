import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { AxeError } from '../lib/errors.js';
import { type DiffFile, parseDiff } from '../lib/text/diff.js';
import { cleanLine, count } from '../lib/text/format.js';
import type { LanguageModel } from '../loop/messages.js';
import { type Fenced, parseFences } from '../safety/fence.js';
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
  const last = prompt.findLast((one) => one.role === 'user');
  const parts = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  const { fences, rest } = parseFences(parts.join('\n\n'));
  const files = [...fences.map(({ text }) => text), rest].filter(isDiff).flatMap(parseDiff);
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
    finishReason: isReview ? { unified: 'tool-calls', raw: 'tool-calls' } : { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
    response: { modelId: MODEL_ID },
    warnings: [],
  };
}

function isDiff(text: string): boolean {
  return /^(?:diff --git |--- .*\n\+\+\+ )/m.test(text);
}

/** A tool that the rules ask for. */
interface OfflineCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the rules find as calls of the tools of a review. What is about no line is in the summary. */
function reviewCalls(
  files: readonly DiffFile[],
  fences: readonly Fenced[],
  canSettle: boolean,
): readonly OfflineCall[] {
  const findings = findInDiff(files);
  const earlier = findingsIn(fences, 'open findings');
  const known = [...earlier, ...findingsIn(fences, 'decided findings')];
  const ends = canSettle ? earlier.flatMap((one) => settleCalls(one, files, findings)) : [];
  const comments = findings.flatMap((finding) => commentCalls(finding, files, known));
  const others = findings.filter(({ line }) => line === undefined);
  const summary = [`${WHAT_THIS_IS} ${lookedAt(files, fences)}`, formatList(others)].filter(Boolean);
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
  const before = known.find((one) => one.path === path && one.title === facts.title && one.line === line);
  const added = linesOf(files, path).find((one) => one.kind === 'added' && one.newLine === line);
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

function findingsIn(fences: readonly Fenced[], source: string): readonly KnownFinding[] {
  const list = fences.find((one) => one.source === source)?.text ?? '';
  return [...list.matchAll(/^- (F[A-Z0-9]{4}) (\S+?)(?::(\d+))?(?: [a-z-]+)* — "(.*?)"(?: \(.*\))?$/gm)].map(
    ([, name = '', path = '', line, title = '']) => {
      return { name, path, line: line === undefined ? undefined : Number(line), title };
    },
  );
}

/** An earlier finding is settled where its file was changed and the rule finds nothing in it any more. */
function settleCalls(
  { name, path, title }: KnownFinding,
  files: readonly DiffFile[],
  findings: readonly RuleFinding[],
): readonly OfflineCall[] {
  if (findings.some((one) => one.path === path && RULE_FACTS[one.rule].title === title)) return [];
  const changed = linesOf(files, path).filter(({ kind, text }) => kind !== 'context' && text.trim() !== '');
  const fix = changed.find(({ kind }) => kind === 'added') ?? changed[0];
  if (fix === undefined) return [];
  const evidence = [{ path, line: fix.kind === 'removed' ? fix.oldLine : fix.newLine, code: fix.text }];
  const reason = 'The rule finds nothing in this file any more.';
  return [{ name: 'settle_finding', input: { finding: name, how: 'fixed', reason, evidence } }];
}

function linesOf(files: readonly DiffFile[], path: string) {
  return files
    .filter((one) => one.path === path)
    .flatMap(({ hunks }) => hunks)
    .flatMap(({ lines }) => lines);
}

/** An answer in words, which begins by saying that no model wrote it (D32). */
function answer(files: readonly DiffFile[], fences: readonly Fenced[]): string {
  if (files.length === 0) return `${WHAT_THIS_IS} They can review a diff, and none was sent.`;
  return `${WHAT_THIS_IS} ${lookedAt(files, fences)}\n\n${formatList(findInDiff(files)) || NOTHING_FOUND}`;
}

const NOTHING_FOUND = 'None of the rules found anything. That is not a judgement of the change.';

/** How much was looked at, and how much was not. */
function lookedAt(files: readonly DiffFile[], fences: readonly Fenced[]): string {
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
