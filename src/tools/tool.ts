import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { ShownLines } from '../findings/decide/evidence.js';
import { MAX_TOOL_RESULT_BYTES } from '../lib/defaults.js';
import { ToolError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import { truncate } from '../lib/text/bytes.js';
import { cleanLine, quoteLine } from '../lib/text/format.js';
import { fence, stripTerminalSequences } from '../safety/fence.js';
import { showHidden } from '../safety/hidden.js';
import { hideValues, redact } from '../safety/redact.js';

/** The effect decides which runs can have a tool. */
export type ToolEffect = 'read' | 'memory' | 'write' | 'execute' | 'network' | 'publish';

/** The answer to the model. An error is an answer too: a tool never ends a run. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /**
   * Words in the text of people who are not known to have write access, as an object of "it read":
   * `issue #12 by eve`. Left out if there are none.
   */
  readonly strangers?: string;
  /** Lines of files in the text, which the model can cite as evidence. */
  readonly shown?: readonly ShownLines[];
  /** The usage of a sub-agent; counted for the agent that called it. */
  readonly stats?: RunStats;
}

/** Instead of a result with the words of strangers, for a run that knows private memory. */
export const WITHHELD_RESULT: ToolResult = {
  text: 'not shown: by people without write access, and this run knows private memory',
  isError: true,
};

/** A function the model can call. */
export interface Tool {
  readonly name: string;
  readonly effect: ToolEffect;
  /** Its calls reach the network; left out, they do by the effects `network` and `execute`. */
  readonly reachesNetwork?: boolean;
  /** Its calls change nothing and can run at the same time. Implied by the effect `read`. */
  readonly isReadOnly?: boolean;
  readonly description: string;
  /**
   * JSON schema (draft 7) of the arguments: an object; its key order is fixed, so that prompts can
   * be cached.
   */
  readonly inputSchema: LanguageModelV4FunctionTool['inputSchema'];
  /** Runs a call. `input` is parsed JSON that is not checked yet. */
  execute(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/**
 * Makes a tool that checks its arguments before it runs and turns every ToolError into a result. A
 * tool that publishes leaves out arguments that it does not know, and its answer names them, so
 * that a finding is not lost for one of them. Other tools refuse them.
 */
export function defineTool<const S extends ArgumentShape>({
  shape,
  run,
  ...description
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
    ...description,
    inputSchema: schemaOf(shape),
    async execute(uncheckedInput, signal) {
      const unknown: string[] = [];
      const leftOut = description.effect === 'publish' ? unknown : undefined;
      const withUnknown = (text: string) => [text, ...noteOnUnknown(unknown)].join(' ');
      try {
        const prefix = `${description.name} was not run: `;
        const input = checkInput(shape, uncheckedInput, { prefix, leftOut });
        signal.throwIfAborted();
        const answer = await run(input, signal);
        const result = typeof answer === 'string' ? { text: answer } : answer;
        return { ...result, text: withUnknown(result.text), isError: false };
      } catch (thrown) {
        if (thrown instanceof ToolError)
          return { text: withUnknown(thrown.message), isError: true };
        throw thrown;
      }
    },
  };
}

/** Reads one of `choices`, in any case; the fallback if it is empty. Throws a ToolError. */
export function readChoice<const Word extends string>(
  argument: string,
  value: string | undefined,
  choices: readonly Word[],
  fallback?: Word,
): Word {
  const isEmpty = (value ?? '').trim() === '';
  const chosen = isEmpty ? fallback : findChoice(value, choices);
  if (chosen !== undefined) return chosen;

  const listed = choices.map((choice) => `\`${choice}\``).join(', ');
  throw new ToolError(`\`${argument}\` must be one of ${listed}, not ${quoteLine(value ?? '')}`);
}

/** The choice that a word means, in any case and with any separator; undefined for none. */
export function findChoice<const Word extends string>(
  value: string | undefined,
  choices: readonly Word[],
): Word | undefined {
  const word = (value ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  return choices.find((choice) => choice.toLowerCase() === word);
}

export interface ToolArgument {
  readonly type: 'string' | 'integer' | 'boolean' | 'list';
  readonly description: string;
  /** The arguments of each object in a list. */
  readonly item?: ArgumentShape;
  /** Reads objects of a list that were written as a string; undefined if it has none. */
  readonly readText?: (text: string) => readonly object[] | undefined;
  readonly required?: boolean;
  /** Limits of an integer. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Words in the schema of a string. The tool itself refuses others, with a better answer. */
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

/** Checked arguments; undefined if one was left out. */
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
 * Checks the arguments that a model sent. Numbers and booleans can be strings (`"10"`, `"true"`),
 * because axe's own tools ask for strings; null counts as left out. Throws a ToolError that says
 * what is wrong, after the prefix.
 */
function checkInput<S extends ArgumentShape>(
  shape: S,
  input: unknown,
  check: InputCheck,
): InputOf<S> {
  const { prefix, leftOut } = check;
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new ToolError(`${prefix}the arguments must be one JSON object, not ${kindOf(input)}`);

  const entries = new Map<string, unknown>(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  );
  const missing = Object.keys(shape).filter(
    (name) => shape[name]?.required === true && !entries.has(name),
  );
  const unknown = [...entries.keys()].filter((name) => !Object.hasOwn(shape, name));
  const problems = [
    ...missing.map((name) => `\`${name}\` is missing`),
    ...unknown.map((name) => `\`${cleanLine(name, MAX_SHOWN)}\` is not an argument`),
  ];
  if (missing.length > 0 || (unknown.length > 0 && leftOut === undefined))
    throw new ToolError(`${prefix}${problems.slice(0, MAX_PROBLEMS).join('; ')}`);

  leftOut?.push(...unknown);

  const values = Object.entries(shape).flatMap(([name, argument]) => {
    if (!entries.has(name)) return [];
    const ofValue = { ...check, prefix: `${prefix}\`${name}\` ` };
    return [[name, checkValue(argument, entries.get(name), ofValue)]];
  });
  // The cast is sound: the type of every argument of the shape was checked.
  return Object.fromEntries(values) as InputOf<S>;
}

interface InputCheck {
  readonly prefix: string;
  /** Takes the names of unknown arguments; undefined if they are errors. */
  readonly leftOut: string[] | undefined;
}

function noteOnUnknown(names: readonly string[]): readonly string[] {
  const shown = [...new Set(names)].slice(0, MAX_PROBLEMS);
  return shown.map((name) => `\`${cleanLine(name, MAX_SHOWN)}\` is not an argument: left out.`);
}

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 60;

function checkValue(
  { type, item = {}, readText, minimum, maximum }: ToolArgument,
  value: unknown,
  check: InputCheck,
): unknown {
  const { prefix } = check;
  const mustBe = (expected: string) =>
    new ToolError(`${prefix}must be ${expected}, not ${kindOf(value)}`);
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
      return [value]
        .flat()
        .flatMap((part) => (typeof part === 'string' && readText?.(part)) || [part])
        .map((part) =>
          checkInput(item, part, { ...check, prefix: `${prefix}has an invalid item: ` }),
        );
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return cleanLine(JSON.stringify(value) ?? typeof value, MAX_SHOWN);
}

/** {@link showHidden} for the output of a program, without its terminal sequences (colours). */
export function escapeOutput(text: string): string {
  return showHidden(stripTerminalSequences(text));
}

/** Bytes kept for the fence and for notes. */
const OVERHEAD_BYTES = 4096;

/**
 * Fences other people's text for a tool's answer, with hidden characters written out. From
 * `markdown` the parts that GitHub does not render are removed.
 */
export function thirdParty(
  text: string,
  origin: { readonly source: string; readonly markdown?: boolean },
): string {
  const visible = escapeOutput(text.replaceAll('\r\n', '\n'));
  return fence(truncate(visible, MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES), origin);
}

/** The tool can change something that later calls see. */
export function isChanging({ effect, isReadOnly }: Pick<Tool, 'effect' | 'isReadOnly'>): boolean {
  return effect !== 'read' && isReadOnly !== true;
}

/** A call can send data out, and bring in anybody's text. */
export function reachesNetwork({
  effect,
  reachesNetwork: isKnown,
}: Pick<Tool, 'effect' | 'reachesNetwork'>): boolean {
  return isKnown ?? REACHING_EFFECTS.has(effect);
}

/**
 * Effects of tools that can send data out and bring in anybody's text. A program that a tool starts
 * can reach the network too.
 */
const REACHING_EFFECTS: ReadonlySet<ToolEffect> = new Set(['network', 'execute']);

/**
 * The second line behind the tools' own masking: their results without secrets. The provider gets
 * the repository anyway, so a made-up token in a file stays; a token that a program or a server
 * shows is somebody's, and is known by its shape. `secrets` is read at each call, because a run can
 * learn of more.
 */
export function withSecretsHidden(
  tools: readonly Tool[],
  secrets: readonly string[],
): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const result = await tool.execute(input, signal);
      const hide = REACHING_EFFECTS.has(tool.effect) ? redact : hideValues;
      return { ...result, text: hide(result.text, secrets) };
    },
  }));
}
