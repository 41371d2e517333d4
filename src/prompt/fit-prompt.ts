import { estimateText, truncate } from '../lib/text/bytes.js';
import { cleanLine } from '../lib/text/format.js';
import { parseEntries } from '../memory/run-log.js';
import { fence, mapFences } from '../safety/fence.js';
import type { ContextFile } from './context.js';
import { DIFF_SOURCE } from './describe-change.js';
import { BYTES_PER_TOKEN, packDiff } from './diff-pack.js';
import { buildSystemPrompt, type NotesPrompt, type SystemPromptParts, withMemory } from './system.js';

export interface Prompt {
  readonly system: string;
  /** What memory has added to `system`; absent where it added nothing. */
  readonly memory?: string;
  readonly message: string;
}

export interface FittedPrompt extends Prompt {
  readonly isShortened: boolean;
  /** Paths of files of a diff that are not in it, or not whole, though they were before. */
  readonly unseen: readonly string[];
}

export interface PromptParts {
  readonly system: SystemPromptParts;
  readonly runLog: string;
  readonly notes?: NotesPrompt | undefined;
  readonly message: string;
}

/** What each of run log, notes, context files, guidance and instructions may take of the room; the message has the rest, half at least. */
const SHARE = 1 / 8;

/**
 * The prompt, whole or in so many tokens by estimate. The agent's own words and the task stay as they are; memory keeps its
 * newest entries, and context files and what others wrote lose their middle. A diff keeps what {@link packDiff} keeps of it.
 */
export function fitPrompt(parts: PromptParts, maxTokens = Number.POSITIVE_INFINITY): FittedPrompt {
  const whole = assemble(parts);
  if (estimateText(whole.system) + estimateText(whole.message) <= maxTokens)
    return { ...whole, isShortened: false, unseen: [] };
  const { system, runLog, notes, message } = parts;
  const { files, guidance = [], instructions = [] } = system;
  const own = estimateText(buildSystemPrompt({ ...system, files: [], guidance: [], instructions: [] }));
  const free = Math.max(0, maxTokens - own - estimateText(notes?.toolsPrompt ?? ''));
  const share = Math.floor(free * SHARE);
  const short = {
    system: {
      ...system,
      files: shortenFiles(files, share),
      guidance: shortenFiles(guidance, share),
      instructions: shortenFiles(instructions, share),
    },
    runLog: newestEntries(runLog, share),
    // Their tools give what is not shown.
    notes: notes && { ...notes, block: estimateText(notes.block) > share ? '' : notes.block },
  };
  const left = Math.max(free / 2, maxTokens - estimateText(assemble({ ...short, message: '' }).system));
  const fitted = fitMessage(message, left);
  return { ...assemble({ ...short, message: fitted.message }), isShortened: true, unseen: fitted.unseen };
}

function assemble({ system, runLog, notes, message }: PromptParts): Prompt {
  const plain = buildSystemPrompt(system);
  const whole = withMemory(plain, runLog, notes);
  return { system: whole, message, memory: whole === plain ? undefined : whole.slice(plain.length) };
}

function shortenFiles(files: readonly ContextFile[], maxTokens: number): readonly ContextFile[] {
  if (estimateText(files.map(({ content }) => content).join('')) <= maxTokens) return files;
  const maxBytes = Math.floor((maxTokens * BYTES_PER_TOKEN) / files.length);
  return files.map((file) => ({ ...file, content: truncate(file.content, maxBytes) }));
}

/** The newest entries of a run log that fit together; of one that is too large alone, its two ends. */
function newestEntries(log: string, maxTokens: number): string {
  if (estimateText(log) <= maxTokens) return log;
  const entries = parseEntries(log);
  const first = entries.find(({ start }) => estimateText(log.slice(start)) <= maxTokens);
  if (first !== undefined) return log.slice(first.start);
  return truncate(entries.at(-1)?.text ?? log, maxTokens * BYTES_PER_TOKEN);
}

/** Longest fence that is not a diff, in bytes; the first one that leaves the diff its half is taken. */
const FENCE_BYTES = [16_384, 4096, 1024, 256];

function fitMessage(
  message: string,
  maxTokens: number,
): { readonly message: string; readonly unseen: readonly string[] } {
  if (estimateText(message) <= maxTokens) return { message, unseen: [] };
  let diffTokens = 0;
  mapFences(message, (text, source) => {
    if (source.startsWith(DIFF_SOURCE)) diffTokens += estimateText(text);
    return text;
  });
  const othersIn = (bytes: number) =>
    mapFences(message, (text, source) => (source.startsWith(DIFF_SOURCE) ? '' : truncate(text, bytes)));
  const forOthers = maxTokens - Math.min(diffTokens, maxTokens / 2);
  const bytes = FENCE_BYTES.find((most) => estimateText(othersIn(most)) <= forOthers) ?? 256;
  let free = maxTokens - estimateText(othersIn(bytes)) - NOTE_TOKENS;
  const unseen: string[] = [];
  const fitted = mapFences(message, (text, source) => {
    if (!source.startsWith(DIFF_SOURCE)) return truncate(text, bytes);
    const packed = packDiff(text, { maxTokens: Math.max(1, free), paths: [], pathsIgnore: [] });
    free -= estimateText(packed.text);
    unseen.push(...packed.notShown.map(({ file }) => file.path));
    return packed.text;
  });
  const names = unseen.map((path) => cleanLine(path, MAX_NAME)).join('\n');
  const listed =
    unseen.length === 0 ? '' : `\n\n${fence(truncate(names, LIST_BYTES), { source: 'files left out' })}`;
  return { message: `${fitted}\n\n${LEFT_OUT}${listed}`, unseen };
}

const LEFT_OUT =
  'Parts of this message were left out, since you can read only so much at once. Say in your answer what you have not seen, and do not judge it.';
const MAX_NAME = 200;
const LIST_BYTES = 512;

/** {@link LEFT_OUT} and the list of files. */
const NOTE_TOKENS = 220;
