import type { AgentConfig } from '../agent/config.js';
import { parseAgent } from '../agent/parse.js';
import { AxeError } from '../errors.js';

/** One file before and after a proposed change. */
export interface ChangedFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Why text that nobody can see is refused. */
export const ADDS_UNSEEN = 'it would add characters that nobody who reads it can see';

/** How many characters of a text nobody who reads it can see. */
export function unseen(text: string): number {
  return text.replace(WRITTEN, '').match(UNSEEN)?.length ?? 0;
}

/** Why a person should not be asked to merge a change of a file, in half a sentence; undefined where nothing is wrong. */
export function fileProblem({ path, before, after }: ChangedFile): string | undefined {
  if (after.length > MAX_CHARACTERS) return 'a file would become too long';
  if (WORKFLOWS.test(path)) return 'it would change what GitHub runs, which only a person may';
  if (hidden(after) > hidden(before))
    return `it would add a comment to \`${path}\` that its page does not show`;
  return undefined;
}

/** The same for what the agent's TOML comes to: it must be what \`agents validate\` finds nothing wrong with. */
export function unreadableToml({ path, before, after }: ChangedFile): string | undefined {
  const source = { name: path, file: path };
  try {
    const old = parseAgent(before, source);
    const next = parseAgent(after, source);
    const known = new Set(old.warnings.map(({ message }) => message));
    const warning = next.warnings.find(({ message }) => !known.has(message));
    if (warning !== undefined) return `the agent would get a warning: ${warning.message}`;
    return configProblem(old.config, next.config);
  } catch (thrown) {
    if (thrown instanceof AxeError) return `the agent would no longer be valid: ${thrown.message}`;
    throw thrown;
  }
}

function configProblem(before: AgentConfig, after: AgentConfig): string | undefined {
  const raised = raisedKeys(before, after);
  if (raised.length > 0)
    return `it would change ${raised.map((key) => `\`${key}\``).join(', ')}, which only a person may`;
  // An escape such as \u200b hides in the file what the model then reads.
  if (unseen(wordsOf(after)) > unseen(wordsOf(before))) return ADDS_UNSEEN;
  if (hidden(wordsOf(after)) > hidden(wordsOf(before))) return 'it would hide a comment in the system prompt';
  for (const { key, of } of KEPT) {
    const [was, is] = [of(before), of(after)];
    if (is !== was && !isSensible(is, was))
      return `it would set \`${key}\` from ${was} to ${is}; from here it may become 1 to ${MAX_KEPT}`;
  }
  return undefined;
}

/** What a proposal may change of how much is remembered. */
const KEPT = [
  { key: 'last_n', of: ({ memory }: AgentConfig) => memory.lastN },
  { key: 'max_entries', of: ({ memory }: AgentConfig) => memory.maxEntries },
] as const;

/** 0 lifts a limit, and what is loaded is paid for in every run. */
function isSensible(is: number, was: number): boolean {
  return is > 0 && is <= Math.max(MAX_KEPT, was);
}

const MAX_KEPT = 1000;
const MAX_CHARACTERS = 256 * 1024;
/** A `skill` may name any file; nothing that GitHub runs is changed from here. */
const WORKFLOWS = /^\.github\/(?:workflows|actions)\//i;
/** Control characters, and those that hide or turn around text: a person has to see what is to be merged. */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Default_Ignorable_Code_Point}/gu;
/** Of those, what scripts and emoji are written with. */
const WRITTEN = /[\n\r\t]|\u200C|\u200D|\uFE0E|\uFE0F/g;
/** HTML comments, and links that define nothing, in which markdown hides words. */
const HIDDEN = /<!--|^ {0,3}\[[^\]\n]*\]: *<?#/gm;

function hidden(text: string): number {
  return text.match(HIDDEN)?.length ?? 0;
}

function wordsOf({ description, systemPrompt }: AgentConfig): string {
  return `${description}\n${systemPrompt}`;
}

/**
 * The keys of a changed agent that a proposal must leave alone, by which it could do or cost more than before. Only
 * description, system prompt and how much `[memory]` keeps may change; tools and allowed hosts may become fewer.
 */
function raisedKeys(before: AgentConfig, after: AgentConfig): readonly string[] {
  const raised = KEYS.filter(({ of }) => !isEqual(of(before), of(after))).map(({ key }) => key);
  if (!isSubset(after.tools, before.tools)) raised.push('tools');
  if (!isNarrower(after.allowedHosts, before.allowedHosts)) raised.push('allowed_hosts');
  return raised;
}

interface Key {
  readonly key: string;
  readonly of: (config: AgentConfig) => unknown;
}

/** Every key but those named above. */
const KEYS: readonly Key[] = [
  { key: 'name', of: ({ name }) => name },
  { key: 'model', of: ({ model }) => model },
  { key: 'skill', of: ({ skill }) => skill },
  { key: 'files', of: ({ files }) => files },
  { key: 'workdir', of: ({ workdir }) => workdir },
  { key: 'sub_agents', of: ({ subAgents }) => subAgents },
  { key: 'sub_agents_config', of: ({ subAgentsConfig }) => subAgentsConfig },
  { key: 'mcp_servers', of: ({ mcpServers }) => mcpServers },
  { key: 'memory', of: ({ memory }) => ({ ...memory, lastN: 0, hasLastN: true, maxEntries: 0 }) },
  { key: 'params', of: ({ params }) => params },
  { key: 'retry', of: ({ retry }) => retry },
  { key: 'budget', of: ({ budget }) => budget },
  { key: 'timeout', of: ({ timeoutSeconds }) => timeoutSeconds },
  { key: 'stream', of: ({ stream }) => stream },
];

/** Both are plain data that one function made, so their keys come in the same order. */
function isEqual(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function isSubset(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

/** No host named means every host. */
function isNarrower(after: readonly string[], before: readonly string[]): boolean {
  return before.length === 0 || (after.length > 0 && isSubset(after, before));
}
