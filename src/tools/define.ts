import { ToolError } from '../lib/errors.js';
import { cleanLine, shown } from '../lib/text/cut.js';
import type { Tool, ToolResult } from './tool.js';

/** An answer that says whose words it holds, or which lines it shows. */
export interface ToolText {
  readonly text: string;
  readonly isTainted?: boolean;
  readonly shown?: ToolResult['shown'];
}

/** Makes a tool that checks its arguments before it runs and turns every ToolError into a result. */
export function defineTool<const S extends Shape>({
  name,
  effect,
  isReadOnly,
  description,
  shape,
  run,
}: Omit<Tool, 'inputSchema' | 'execute'> & {
  readonly shape: S;
  /** The answer. A ToolError's message is the answer to a call that failed. */
  run(input: InputOf<S>, signal: AbortSignal): Promise<string | ToolText>;
}): Tool {
  return {
    name,
    effect,
    isReadOnly,
    description,
    inputSchema: schemaOf(shape),
    async execute(sent, signal) {
      const { input, problems } = checkInput(shape, sent);
      if (problems.length > 0) {
        const text = `${name} was not run: ${problems.slice(0, MAX_PROBLEMS).join('; ')}`;
        return { text, isError: true };
      }
      try {
        signal.throwIfAborted();
        const result = await run(input, signal);
        return typeof result === 'string' ? { text: result, isError: false } : { ...result, isError: false };
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
  throw new ToolError(`\`${argument}\` must be one of ${listed}, not ${shown(given ?? '')}`);
}

/** An argument of a tool. */
export interface Argument {
  readonly type: 'string' | 'integer' | 'boolean' | 'list';
  readonly description: string;
  /** The arguments of each object in a list. */
  readonly item?: Shape;
  readonly required?: boolean;
  /** For integers. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Words that the schema offers for a string; others are left to the tool, whose answer may say more. */
  readonly choices?: readonly string[];
}

/** The arguments of a tool by name, in the order they are shown to the model. */
export type Shape = Readonly<Record<string, Argument>>;

type ValueOf<A extends Argument> = A extends { readonly item: infer Item extends Shape }
  ? readonly InputOf<Item>[]
  : A['type'] extends 'string'
    ? string
    : A['type'] extends 'integer'
      ? number
      : boolean;

/** Checked arguments; undefined where one was left out. */
export type InputOf<S extends Shape> = {
  readonly [Name in keyof S]: S[Name] extends { readonly required: true }
    ? ValueOf<S[Name]>
    : ValueOf<S[Name]> | undefined;
};

/** The JSON schema of the arguments; the same shape always gives the same bytes. */
export function schemaOf(shape: Shape): Tool['inputSchema'] {
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
 * The arguments that a model sent, and what is wrong with them, each a clause about one; they are right if nothing is.
 * Numbers and truth values are taken as strings too (`"10"`, `"true"`), since axe's own tools ask for strings; null
 * counts as left out.
 */
export function checkInput<S extends Shape>(shape: S, sent: unknown) {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    problems.push(`the arguments must be one JSON object, not ${kindOf(sent)}`);
  } else {
    const given = new Map<string, unknown>(Object.entries(sent).filter(([, value]) => value !== null));
    for (const [name, argument] of Object.entries(shape)) {
      const { value, problem } = checkValue(argument, given.get(name));
      if (problem === undefined) values[name] = value;
      else problems.push(`\`${name}\` ${problem}`);
    }
    for (const name of given.keys()) {
      if (!Object.hasOwn(shape, name)) problems.push(`\`${cleanLine(name, MAX_SHOWN)}\` is not an argument`);
    }
  }
  // The door: every argument of the shape was just checked for its type.
  return { input: values as InputOf<S>, problems };
}

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 60;

/** The value as the tool takes it, or a clause on what is wrong with it. */
interface CheckedValue {
  readonly value?: unknown;
  readonly problem?: string;
}

function checkValue(argument: Argument, value: unknown): CheckedValue {
  if (value === undefined) return argument.required === true ? { problem: 'is missing' } : {};
  switch (argument.type) {
    case 'string':
      return typeof value === 'string' ? { value } : wrongType('a string', value);
    case 'integer':
      return checkInteger(argument, value);
    case 'boolean':
      return checkBoolean(value);
    case 'list':
      return checkList(argument.item ?? {}, value);
  }
}

/** One object counts as a list of one. */
function checkList(item: Shape, value: unknown): CheckedValue {
  const checked = (Array.isArray(value) ? value : [value]).map((one) => checkInput(item, one));
  const wrong = checked.find(({ problems }) => problems.length > 0);
  if (wrong !== undefined) return { problem: `has an invalid item: ${wrong.problems.join('; ')}` };
  return { value: checked.map(({ input }) => input) };
}

function checkInteger({ minimum, maximum }: Argument, value: unknown): CheckedValue {
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return wrongType('a whole number', value);
  if (minimum !== undefined && number < minimum) {
    return { problem: `must be at least ${minimum}, not ${number}` };
  }
  if (maximum !== undefined && number > maximum) {
    return { problem: `must be at most ${maximum}, not ${number}` };
  }
  return { value: number };
}

function checkBoolean(value: unknown): CheckedValue {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === true || word === 'true') return { value: true };
  return word === false || word === 'false' ? { value: false } : wrongType('true or false', value);
}

function wrongType(expected: string, value: unknown): CheckedValue {
  return { problem: `must be ${expected}, not ${kindOf(value)}` };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return cleanLine(JSON.stringify(value) ?? typeof value, MAX_SHOWN);
}
