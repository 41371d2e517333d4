import * as v from 'valibot';
import type { AgentConfig } from '../../agent/config.js';
import { parseAgent } from '../../agent/inspect.js';
import { AxeError } from '../../lib/errors.js';
import { textId } from '../../lib/text/text-id.js';
import { findJson } from '../../loop/structured.js';

export interface GcReply {
  readonly text: string;
  /** The finish reason of the provider packages (`stop`, `length`, `content-filter`, …). */
  readonly finish: string;
}

/**
 * An error if a reply is not a complete analysis: it must not be empty, and the model must have
 * ended it. Nothing is trimmed then, while axe trims anyway.
 */
export function brokenAnalysis({ text, finish }: GcReply): AxeError | undefined {
  if (finish === 'stop' && text.trim() !== '') return undefined;

  return new AxeError(`the analysis ${whyBroken(finish)}, so nothing was trimmed`, {
    remedy: 'Run it again, or with another model: `--model`, in a workflow the input `model`.',
  });
}

function whyBroken(finish: string): string {
  if (finish === 'stop') return 'is empty';
  return finish === 'length' ? 'was cut off' : `did not finish (${finish})`;
}

/** The last section of an analysis; the whole text if it has no such heading. */
function recommendationsOf(analysis: string): string {
  const [, section] = /(?:^|\n)#{1,6} Recommendations[^\n]*\n([\s\S]*)$/i.exec(analysis) ?? [];
  return (section ?? analysis).trim();
}

export function hasRecommendations(analysis: string): boolean {
  return !/^[-*_\s]*no specific recommendations\.?[*_\s]*$/i.test(recommendationsOf(analysis));
}

/** Equal for recommendations with the same words, ignoring spacing and case. */
export function recommendationsDigest(analysis: string): string {
  return textId(recommendationsOf(analysis).toLowerCase().replace(/\s+/g, ' ')).slice(2);
}

/** An agent's TOML and skill; a built-in agent has none. */
export interface OwnFiles {
  /** Path of the TOML; empty for a built-in agent. */
  readonly toml: string;
  /** By path in the repository. */
  readonly texts: ReadonlyMap<string, string>;
}

/** A model's change that passed all checks, so that a person can merge it. */
interface Proposal {
  readonly kind: 'proposal';
  /** One line; empty if the model gave none. */
  readonly title: string;
  readonly reason: string;
  /** New texts by path; empty if nothing changes. */
  readonly files: ReadonlyMap<string, string>;
  /** Rules for reviews, not checked yet; empty if none were asked for. */
  readonly rules: readonly string[];
}

const Answer = v.object({
  title: v.string(),
  reason: v.string(),
  edits: v.array(v.object({ path: v.string(), find: v.string(), replace: v.string() })),
  rules: v.optional(v.array(v.string()), []),
});

type Refused = { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads and checks a proposal: it changes only the agent's own files, each edit has exactly one
 * place, and the agent's permissions stay as they are.
 */
export function readProposal(answer: string, agentFiles: OwnFiles): Proposal | Refused {
  const json = findJson(answer);
  if (json.problem !== undefined) return refused(`the proposal cannot be read: ${json.problem}`);
  const parsed = v.safeParse(Answer, json.value);
  if (!parsed.success) return refused('the proposal does not have the requested form');

  const { title, reason, edits, rules } = parsed.output;
  const files = new Map<string, string>();
  for (const { path, find, replace } of edits) {
    const text = files.get(path) ?? agentFiles.texts.get(path);
    if (text === undefined || path.startsWith('.github/'))
      return refused(`it would change \`${path}\`, which is not a file of the agent`);
    const [before = '', after, ...more] = find === '' ? [] : text.split(find);
    if (after === undefined || more.length > 0)
      return refused(`what it would replace in \`${path}\` does not occur there exactly once`);
    if (UNSEEN.test(replace.replace(WRITTEN, '')))
      return refused('it would add characters that readers cannot see');
    files.set(path, before + replace + after);
  }
  for (const [path, text] of files) if (text === agentFiles.texts.get(path)) files.delete(path);

  const toml = files.get(agentFiles.toml);
  const problem = toml === undefined ? undefined : configProblem(agentFiles, toml);
  if (problem !== undefined) return refused(problem);

  const line = title.replace(/\s+/g, ' ').trim().slice(0, 120).toWellFormed();
  return { kind: 'proposal', title: line, reason, files, rules };
}

function refused(reason: string): Refused {
  return { kind: 'refused', reason };
}

/**
 * Control characters, and characters that hide or reverse text: a person has to see every change
 * before merging.
 */
export const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;
/** Scripts and emoji need these of the characters above. */
const WRITTEN = /[\n\r\t]|\u200C|\u200D|\uFE0E|\uFE0F/g;

function configProblem({ toml: path, texts }: OwnFiles, after: string): string | undefined {
  const source = { name: path, file: path };
  const before = parseAgent(texts.get(path) ?? '', source).config;
  try {
    if (fixedKeys(parseAgent(after, source).config) === fixedKeys(before)) return undefined;
    return 'it would change more of the agent than its description, its prompt and how much is remembered';
  } catch (thrown) {
    if (thrown instanceof AxeError) return `the agent would no longer be valid: ${thrown.message}`;
    throw thrown;
  }
}

/** Both configurations come from one function, so their keys have the same order in JSON. */
function fixedKeys({ memory, ...config }: AgentConfig): string {
  const free = { lastN: 0, hasLastN: true, maxEntries: 0 };
  return JSON.stringify({
    ...config,
    description: '',
    systemPrompt: '',
    memory: { ...memory, ...free },
  });
}
