import { ToolError } from '../lib/errors.js';
import { cleanLine, shown } from '../lib/text/format.js';
import type { Tool, ToolResult } from './tool.js';

/** An answer that says whose words it holds, or which lines it shows. */
interface ToolText {
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
      try {
        const input = checkInput(shape, sent, `${name} was not run: `);
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
 * The arguments that a model sent. Numbers and truth values are taken as strings too (`"10"`, `"true"`), since axe's own
 * tools ask for strings; null counts as left out. Throws a ToolError that says what is wrong, behind the words of `where`.
 */
function checkInput<S extends Shape>(shape: S, sent: unknown, where: string): InputOf<S> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ToolError(`${where}the arguments must be one JSON object, not ${kindOf(sent)}`);
  const given = new Map<string, unknown>(
    Object.entries(sent).filter(([, value]) => value !== null && value !== undefined),
  );
  const missing = Object.keys(shape).filter((name) => shape[name]?.required === true && !given.has(name));
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(shape, name));
  const problems = [
    ...missing.map((name) => `\`${name}\` is missing`),
    ...unknown.map((name) => `\`${cleanLine(name, MAX_SHOWN)}\` is not an argument`),
  ];
  if (problems.length > 0) throw new ToolError(`${where}${problems.slice(0, MAX_PROBLEMS).join('; ')}`);
  const values = Object.entries(shape).flatMap(([name, argument]) =>
    given.has(name) ? [[name, checkValue(argument, given.get(name), `${where}\`${name}\` `)]] : [],
  );
  // The door: every argument of the shape was just checked for its type.
  return Object.fromEntries(values) as InputOf<S>;
}

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 60;

function checkValue({ type, item = {}, minimum, maximum }: Argument, value: unknown, where: string): unknown {
  const mustBe = (expected: string) => new ToolError(`${where}must be ${expected}, not ${kindOf(value)}`);
  switch (type) {
    case 'string':
      if (typeof value === 'string') return value;
      throw mustBe('a string');
    case 'integer': {
      const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw mustBe('a whole number');
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
