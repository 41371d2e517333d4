import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { Trust } from '../event/trust.js';
import type { ShownLines } from '../findings/decide/evidence.js';
import { MAX_TOOL_RESULT_BYTES } from '../lib/defaults.js';
import { ToolError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import { truncate } from '../lib/text/bytes.js';
import { cleanLine, quoteLine } from '../lib/text/format.js';
import { fence, stripTerminalSequences } from '../safety/fence.js';
import { holdsSecret, redact } from '../safety/redact.js';

/** What a tool can do to the world; decides who may have it (D22). */
export type ToolEffect = 'read' | 'memory' | 'write' | 'execute' | 'network' | 'publish';

/** What a tool answers to the model. Trouble is an answer too: a tool never ends a run. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The text holds words of people who are not known to have write access (D19). */
  readonly isTainted?: boolean;
  /** Lines of files that the text shows: what the model may name as evidence. */
  readonly shown?: readonly ShownLines[];
  /** What a sub-agent used to answer; counted for the agent that called it. */
  readonly stats?: RunStats;
}

/** A function the model may call. */
export interface Tool {
  readonly name: string;
  readonly effect: ToolEffect;
  /**
   * It changes nothing, so that its calls may run side by side; tools of the effect `read` never
   * change anything.
   */
  readonly isReadOnly?: boolean;
  readonly description: string;
  /**
   * JSON schema (draft 7) of the arguments: an object; its key order is fixed, so that prompts can
   * be cached.
   */
  readonly inputSchema: LanguageModelV4FunctionTool['inputSchema'];
  /** Runs a call. `input` is parsed JSON that nobody has checked yet. */
  execute(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/**
 * Makes a tool that checks its arguments before it runs and turns every ToolError into a result.
 */
export function defineTool<const S extends ArgumentShape>({
  shape,
  run,
  ...about
}: Omit<Tool, 'inputSchema' | 'execute'> & {
  readonly shape: S;
  /**
   * The answer, which may say more than its text. A ToolError's message is the answer to a call
   * that failed.
   */
  run(
    input: InputOf<S>,
    signal: AbortSignal,
  ): Promise<string | Omit<ToolResult, 'isError' | 'stats'>>;
}): Tool {
  return {
    ...about,
    inputSchema: schemaOf(shape),
    async execute(sent, signal) {
      try {
        const input = checkInput(shape, sent, `${about.name} was not run: `);
        signal.throwIfAborted();
        const result = await run(input, signal);
        return typeof result === 'string'
          ? { text: result, isError: false }
          : { ...result, isError: false };
      } catch (thrown) {
        if (thrown instanceof ToolError) return { text: thrown.message, isError: true };
        throw thrown;
      }
    },
  };
}

/** One of a few words, in any case; the fallback for none. Throws a ToolError that lists them. */
export function readChoice<const Word extends string>(
  argument: string,
  given: string | undefined,
  words: readonly Word[],
  fallback?: Word,
): Word {
  const word = (given ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const found = word === '' ? fallback : words.find((one) => one.toLowerCase() === word);
  if (found !== undefined) return found;
  const listed = words.map((one) => `\`${one}\``).join(', ');
  throw new ToolError(`\`${argument}\` must be one of ${listed}, not ${quoteLine(given ?? '')}`);
}

export interface ToolArgument {
  readonly type: 'string' | 'integer' | 'boolean' | 'list';
  readonly description: string;
  /** The arguments of each object in a list. */
  readonly item?: ArgumentShape;
  readonly required?: boolean;
  /** For integers. */
  readonly minimum?: number;
  readonly maximum?: number;
  /**
   * Words that the schema offers for a string; others are left to the tool, whose answer may say
   * more.
   */
  readonly choices?: readonly string[];
}

/** The arguments of a tool by name, in the order they are shown to the model. */
export type ArgumentShape = Readonly<Record<string, ToolArgument>>;

type ValueOf<A extends ToolArgument> = A extends { readonly item: infer Item extends ArgumentShape }
  ? readonly InputOf<Item>[]
  : A['type'] extends 'string'
    ? string
    : A['type'] extends 'integer'
      ? number
      : boolean;

/** Checked arguments; undefined where one was left out. */
export type InputOf<S extends ArgumentShape> = {
  readonly [Name in keyof S]: S[Name] extends { readonly required: true }
    ? ValueOf<S[Name]>
    : ValueOf<S[Name]> | undefined;
};

/** The JSON schema of the arguments; the same shape always gives the same bytes. */
export function schemaOf(shape: ArgumentShape): Tool['inputSchema'] {
  const properties = Object.entries(shape).map(([name, argument]) => {
    const { required: _, item, choices, ...limits } = argument;
    if (item !== undefined)
      return [name, { type: 'array', description: argument.description, items: schemaOf(item) }];
    return [name, choices === undefined ? limits : { ...limits, enum: [...choices] }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(shape).filter((name) => shape[name]?.required === true),
    additionalProperties: false,
  };
}

/**
 * The arguments that a model sent. Numbers and truth values are taken as strings too (`"10"`,
 * `"true"`), since axe's own tools ask for strings; null counts as left out. Throws a ToolError
 * that says what is wrong, behind the words of `where`.
 */
function checkInput<S extends ArgumentShape>(shape: S, sent: unknown, where: string): InputOf<S> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ToolError(`${where}the arguments must be one JSON object, not ${kindOf(sent)}`);
  const given = new Map<string, unknown>(
    Object.entries(sent).filter(([, value]) => value !== null && value !== undefined),
  );
  const missing = Object.keys(shape).filter(
    (name) => shape[name]?.required === true && !given.has(name),
  );
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(shape, name));
  const problems = [
    ...missing.map((name) => `\`${name}\` is missing`),
    ...unknown.map((name) => `\`${cleanLine(name, MAX_SHOWN)}\` is not an argument`),
  ];
  if (problems.length > 0)
    throw new ToolError(`${where}${problems.slice(0, MAX_PROBLEMS).join('; ')}`);
  const values = Object.entries(shape).flatMap(([name, argument]) =>
    given.has(name) ? [[name, checkValue(argument, given.get(name), `${where}\`${name}\` `)]] : [],
  );
  // The door: every argument of the shape was just checked for its type.
  return Object.fromEntries(values) as InputOf<S>;
}

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 60;

function checkValue(
  { type, item = {}, minimum, maximum }: ToolArgument,
  value: unknown,
  where: string,
): unknown {
  const mustBe = (expected: string) =>
    new ToolError(`${where}must be ${expected}, not ${kindOf(value)}`);
  switch (type) {
    case 'string':
      if (typeof value === 'string') return value;
      throw mustBe('a string');
    case 'integer': {
      const number =
        typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isSafeInteger(number))
        throw mustBe('a whole number');
      if (minimum !== undefined && number < minimum) throw mustBe(`at least ${minimum}`);
      if (maximum !== undefined && number > maximum) throw mustBe(`at most ${maximum}`);
      return number;
    }
    case 'boolean': {
      const word = String(value).trim().toLowerCase();
      if (word === 'true' || word === 'false') return word === 'true';
      throw mustBe('true or false');
    }
    case 'list':
      // One object counts as a list of one.
      return [value].flat().map((one) => checkInput(item, one, `${where}has an invalid item: `));
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return cleanLine(JSON.stringify(value) ?? typeof value, MAX_SHOWN);
}

/**
 * {@link escapeHidden} for what a program printed: colours and the like are for a terminal and say
 * nothing here.
 */
export function escapeOutput(text: string): string {
  return escapeHidden(stripTerminalSequences(text));
}

/**
 * Text of a file with what a reader cannot see written out (`<U+202E>`): control characters but tab
 * and newline, bidirectional marks, tag characters, zero-width spaces. A hidden instruction so is
 * visible, while everything else stays as it is, so that it can be quoted to `edit_file`. Joiners
 * and variation selectors stay: words and emoji are written with them (memory-and-security C6 76).
 */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `<U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** Room for the fence and for notes: what is written out takes more than it did. */
const OVERHEAD_BYTES = 4096;

/**
 * What others wrote, for a tool's answer: fenced, with what a reader cannot see written out, so
 * that a hidden instruction is visible (memory-and-security C6 76). `markdown` text also loses what
 * GitHub does not render.
 */
export function thirdParty(
  text: string,
  about: { readonly source: string; readonly markdown?: boolean },
): string {
  const visible = escapeOutput(text.replaceAll('\r\n', '\n'));
  return fence(truncate(visible, MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES), about);
}

/** What the decision depends on besides the tools (D22). */
export interface GrantRules {
  /** `workflow` also on the command line with `--event` (D18). */
  readonly where: 'terminal' | 'workflow';
  readonly trust: Trust['level'];
  /** The `tools-allowed` input: names of tools, or effects (`write`, `execute`, `network`). */
  readonly toolsAllowed: readonly string[];
  /**
   * The workflow and the trust of the run let the file tools change what `changes-allowed` names.
   */
  readonly mayChange?: boolean;
  /** Effects of the agent that calls this one; undefined for the agent of the run itself. */
  readonly parentEffects?: ReadonlySet<ToolEffect>;
}

/**
 * Decides which tools an agent gets (D22), in the order they were asked for, with a sentence for
 * people on each of the others. In a terminal: those it lists. In a workflow: an untrusted run gets
 * what only reads and what the action publishes after checking; a trusted one also its memory, and
 * what `tools-allowed` lists of the tools that write, execute or reach the network.
 * `changes-allowed` grants the file tools. Never more than the agent that called it.
 */
export function grantTools<T extends RequestedTool>(requested: readonly T[], rules: GrantRules) {
  const granted: T[] = [];
  const withheld: string[] = [];
  // One copied line must allow all that it would help.
  const unallowed = requested.flatMap((tool) =>
    isAllowed(tool, rules) || rules.parentEffects?.has(tool.effect) === false ? [] : tool.name,
  );
  for (const tool of requested) {
    const reason = reasonAgainst(tool, rules, unallowed);
    if (reason === undefined) granted.push(tool);
    else withheld.push(`The tool \`${tool.name}\` (${tool.effect}) was withheld: ${reason}`);
  }
  return { granted, withheld };
}

/** What the decision needs to know of a tool; a server of the MCP is asked about like one. */
export type RequestedTool = Pick<Tool, 'name' | 'effect'>;

/**
 * What an agent may pass on: reading and answering are everybody's; the rest is what it was given
 * itself.
 */
export function effectsOf(tools: readonly RequestedTool[]): ReadonlySet<ToolEffect> {
  return new Set<ToolEffect>(['read', 'publish', 'memory', ...tools.map(({ effect }) => effect)]);
}

function reasonAgainst(
  tool: RequestedTool,
  rules: GrantRules,
  unallowed: readonly string[],
): string | undefined {
  const { effect } = tool;
  const { trust, toolsAllowed, parentEffects } = rules;
  if (parentEffects !== undefined && !parentEffects.has(effect)) {
    return 'the agent that called this one is not allowed to do that itself. Give that agent the tool too, or remove it here.';
  }
  if (isEverybodys(tool, rules)) return undefined;
  if (trust !== 'trusted') {
    return 'the run is untrusted, and untrusted runs only read and answer. Remove it from `tools` of an agent for such runs.';
  }
  if (isAllowed(tool, rules)) return undefined;
  const yaml = `\`tools-allowed: ${[...toolsAllowed, ...unallowed].join(', ')}\``;
  return `in a workflow it has to be allowed. Add ${yaml} to the step's \`with:\`.`;
}

function isEverybodys({ name, effect }: RequestedTool, { where, mayChange }: GrantRules): boolean {
  if (mayChange === true && FILE_TOOLS.has(name)) return true;
  return where === 'terminal' || effect === 'read' || effect === 'publish';
}

function isAllowed(tool: RequestedTool, rules: GrantRules): boolean {
  const { name, effect } = tool;
  const { toolsAllowed } = rules;
  if (isEverybodys(tool, rules) || effect === 'memory') return true;
  return toolsAllowed.includes(name) || toolsAllowed.includes(effect);
}

/** The tools that `changes-allowed` grants. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['write_file', 'edit_file', 'delete_file']);

/**
 * Effects of tools that reach others, and bring anybody's text: what was started can reach a
 * network too (D46).
 */
export const REACHING_EFFECTS: ReadonlySet<ToolEffect> = new Set(['network', 'execute']);

/**
 * The tools, with which no secret leaves: a call that holds a known one is refused where its
 * arguments go out, and results are without any. `secrets` is read at each call, since a run may
 * learn more of them.
 */
export function withSecretsBlocked(
  tools: readonly Tool[],
  secrets: readonly string[],
): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      if (REACHING_EFFECTS.has(tool.effect) && holdsSecret(textsOf(input).join('\n'), secrets)) {
        const text = `${tool.name} was not run: its arguments hold a secret of this job, which must not leave. Call it without.`;
        return { text, isError: true };
      }
      const result = await tool.execute(input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  }));
}

/**
 * All texts of a value of JSON; names come last, since a secret may be split over several
 * arguments.
 */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...Object.values(value).flatMap(textsOf), ...names];
}
