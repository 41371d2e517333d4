import { expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import type { ContextFile } from '../../src/agent/context-files.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { DEFAULT_PUBLISH_RULES } from '../../src/findings/buffered-publications.js';
import { PublicationBuffer } from '../../src/findings/publication-buffer.js';
import {
  FACTS_LIMITS,
  MAX_DIFF_TOKENS,
  MAX_GUIDANCE_BYTES,
  MAX_RECALLED_BYTES,
  NOTES_LIMITS,
} from '../../src/lib/defaults.js';
import { estimateText } from '../../src/lib/text/bytes.js';
import { estimateTools } from '../../src/loop/messages.js';
import type { Notes } from '../../src/memory/notes/session.js';
import { ALL_NOTES_TOOLS } from '../../src/memory/paths.js';
import { NUMBERS_NOTICE } from '../../src/prompt/describe.js';
import { pickPathInstructions } from '../../src/prompt/path-instructions.js';
import { buildSystemPrompt, factsPrompt, notesToolsPrompt } from '../../src/prompt/prompt.js';
import type { ToolParts } from '../../src/run/built-in-tools.js';
import { publishingTools } from '../../src/run/publish.js';
import { createTools } from '../../src/run/tools.js';
import { createFactsTool } from '../../src/tools/memory/facts-tool.js';
import { createMemoryTools } from '../../src/tools/memory/memory-tools.js';
import type { Tool } from '../../src/tools/tool.js';
import { LINES, scopeRest } from '../findings/change.js';
import { ledgerOf } from '../findings/threads.js';
import { markedTable } from '../helpers/documents.js';

const [, ...ROWS] = markedTable('docs/cost-and-limits.md', 'first-prompt');

/** The figures of a part: what costs without a text of the project, and the limit of such texts. */
function stated(part: string): readonly string[] {
  return ROWS.find(([name]) => name === part)?.slice(1) ?? [];
}

/** As the page writes it: to tens, or to hundreds from a thousand on. */
function rounded(tokens: number): string {
  const step = tokens < 1000 ? 10 : 100;
  return (Math.round(tokens / step) * step).toLocaleString('en');
}

const tokensOfBytes = (bytes: number) => estimateText('x'.repeat(bytes));

function tokensOfTools(tools: readonly Tool[]): number {
  return estimateTools(
    tools.map(({ name, description, inputSchema }) => {
      return { type: 'function', name, description, inputSchema };
    }),
  );
}

const [REVIEWER] = BUILT_IN_AGENTS.map(({ name, toml }) => {
  return { ...parseAgent(toml, { name, file: name }), name, source: 'built-in' };
});

function reviewer() {
  if (REVIEWER === undefined) throw new Error('there is no built-in reviewer');
  return REVIEWER;
}

/** The tools of the built-in reviewer in the first review of a pull request. */
async function reviewTools(): Promise<readonly Tool[]> {
  const review = { lines: LINES, ledger: ledgerOf([]), ...scopeRest() };
  const buffer = new PublicationBuffer({ rules: DEFAULT_PUBLISH_RULES, review, subject: 42 });
  // Only names, descriptions and schemas are read; no tool is run.
  const parts = { env: {}, github: {}, sourceAt: () => undefined, secrets: [] };
  const { tools, absent } = await createTools(
    reviewer().config.tools,
    parts as unknown as ToolParts,
  );
  expect(absent).toEqual([]);
  return [...publishingTools(reviewer(), buffer).tools, ...tools];
}

const NO_NOTES = {} as Notes;
const SOURCES = { cite: async (content: string) => content, hasRead: () => true };

function tokensOfGuidance(guidance: readonly ContextFile[]): number {
  const without = { systemPrompt: '', skill: '', files: [] };
  return (
    estimateText(buildSystemPrompt({ ...without, guidance })) -
    estimateText(buildSystemPrompt(without))
  );
}

const GENERAL = { path: 'AGENTS.md', content: '' };

function tokensOfPathInstructions(): number {
  const path = '.github/instructions/web.instructions.md';
  const file = { path, content: '---\napplyTo: "web/**/*.ts"\n---\n' };
  const { files } = pickPathInstructions([file], { changed: ['web/a.ts'], isReview: true });
  return tokensOfGuidance([GENERAL, ...files]) - tokensOfGuidance([GENERAL]);
}

function tokensOfFacts(): number {
  return (
    estimateText(factsPrompt(ALL_NOTES_TOOLS)) + tokensOfTools([createFactsTool(NO_NOTES, SOURCES)])
  );
}

function tokensOfNotes(): number {
  const names = ALL_NOTES_TOOLS.filter((name) => name !== 'write_memory');
  const tools = createMemoryTools(NO_NOTES, names, SOURCES.cite);
  expect(tools).toHaveLength(names.length);
  return estimateText(notesToolsPrompt(names)) + tokensOfTools(tools);
}

it.each<[string, () => number | Promise<number>, string]>([
  ['Instructions of the reviewer', () => estimateText(reviewer().config.systemPrompt), ''],
  ['Tools of the reviewer', async () => tokensOfTools(await reviewTools()), ''],
  ['Line numbers in the diff', () => estimateText(NUMBERS_NOTICE), '17.7 % of the diff'],
  [
    'Guidance, all files',
    () => tokensOfGuidance([GENERAL]),
    rounded(tokensOfBytes(MAX_GUIDANCE_BYTES)),
  ],
  ['Each file of path instructions', tokensOfPathInstructions, 'as guidance'],
  ['Memory: entries of earlier runs', () => 0, rounded(tokensOfBytes(MAX_RECALLED_BYTES))],
  ['Notes of the reviewer', tokensOfFacts, rounded(tokensOfBytes(FACTS_LIMITS.injectBytes))],
  [
    'Notes of an agent with `notes = true`',
    tokensOfNotes,
    rounded(tokensOfBytes(NOTES_LIMITS.injectBytes)),
  ],
  ['The diff, with its line numbers', () => 0, rounded(MAX_DIFF_TOKENS)],
])('the page states what a first prompt has: %s', async (part, fixed, longest) => {
  expect(stated(part)).toEqual([rounded(await fixed()), longest]);
});
