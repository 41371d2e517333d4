import { nearest } from '../agent/suggest.js';
import { cleanLine } from '../lib/text/cut.js';
import type { Tool } from './tool.js';

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

/** What checking arguments finds. */
type CheckedInput<S extends Shape> =
  | { readonly kind: 'right'; readonly input: InputOf<S> }
  /** Each a clause about one argument. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** The JSON schema of the arguments; the same shape always gives the same bytes. */
export function schemaOf(shape: Shape): Tool['inputSchema'] {
  const properties = Object.entries(shape).map(([name, argument]) => {
    const { type, description, minimum, maximum, choices, item } = argument;
    if (item !== undefined) return [name, { type: 'array', description, items: schemaOf(item) }];
    return [
      name,
      {
        type,
        description,
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
        ...(choices === undefined ? {} : { enum: [...choices] }),
      },
    ];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(shape).filter((name) => shape[name]?.required === true),
    additionalProperties: false,
  };
}

/**
 * Checks what a model sent. Numbers and truth values are taken as strings too (`"10"`, `"true"`), since axe's own tools
 * ask for strings; null counts as left out.
 */
export function checkInput<S extends Shape>(shape: S, input: unknown): CheckedInput<S> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { kind: 'wrong', problems: [`the arguments must be one JSON object, not ${kindOf(input)}`] };
  }
  const given = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== null));
  const problems: string[] = [];
  const values: Record<string, Value> = {};
  for (const [name, argument] of Object.entries(shape)) {
    const checked = checkValue(argument, given.get(name));
    if (checked.kind === 'wrong') problems.push(`\`${name}\` ${checked.problem}`);
    else values[name] = checked.value;
  }
  for (const name of given.keys()) {
    if (!Object.hasOwn(shape, name)) problems.push(unknownName(name, Object.keys(shape)));
  }
  if (problems.length > 0) return { kind: 'wrong', problems };
  // The door: every argument of the shape was just checked for its type.
  return { kind: 'right', input: values as InputOf<S> };
}

/** The answer to wrong arguments: what is wrong, and what right ones look like. */
export function explainProblems(tool: string, shape: Shape, problems: readonly string[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const left = problems.length - shown.length;
  const more = left > 0 ? `; and ${left} more` : '';
  return `${tool} was not run: ${shown.join('; ')}${more}. Send ${formOf(shape)}`;
}

const MAX_PROBLEMS = 5;
const MAX_SHOWN = 60;

type Value = string | number | boolean | undefined | readonly unknown[];

type CheckedValue =
  | { readonly kind: 'right'; readonly value: Value }
  | { readonly kind: 'wrong'; readonly problem: string };

function checkValue(argument: Argument, value: unknown): CheckedValue {
  if (value === undefined) {
    return argument.required === true
      ? { kind: 'wrong', problem: 'is missing' }
      : { kind: 'right', value: undefined };
  }
  switch (argument.type) {
    case 'string':
      return typeof value === 'string' ? { kind: 'right', value } : wrongType('a string', value);
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
  const list = Array.isArray(value) ? value : [value];
  const values: unknown[] = [];
  for (const one of list) {
    const checked = checkInput(item, one);
    if (checked.kind === 'wrong') {
      return { kind: 'wrong', problem: `has an item that is not right: ${checked.problems.join('; ')}` };
    }
    values.push(checked.input);
  }
  return { kind: 'right', value: values };
}

function checkInteger({ minimum, maximum }: Argument, value: unknown): CheckedValue {
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return wrongType('a whole number', value);
  if (minimum !== undefined && number < minimum) {
    return { kind: 'wrong', problem: `must be at least ${minimum}, not ${number}` };
  }
  if (maximum !== undefined && number > maximum) {
    return { kind: 'wrong', problem: `must be at most ${maximum}, not ${number}` };
  }
  return { kind: 'right', value: number };
}

function checkBoolean(value: unknown): CheckedValue {
  if (typeof value === 'boolean') return { kind: 'right', value };
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' || word === 'false'
    ? { kind: 'right', value: word === 'true' }
    : wrongType('true or false', value);
}

function wrongType(expected: string, value: unknown): CheckedValue {
  return { kind: 'wrong', problem: `must be ${expected}, not ${kindOf(value)}` };
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return cleanLine(JSON.stringify(value) ?? typeof value, MAX_SHOWN);
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant === undefined ? '' : ` (did you mean \`${meant}\`?)`;
  return `\`${cleanLine(name, MAX_SHOWN)}\` is not an argument${advice}`;
}

function formOf(shape: Shape): string {
  const fields = Object.entries(shape).map(([name, { type, required, item }]) => {
    const value = item !== undefined ? `[${formOf(item)}]` : type === 'string' ? '"..."' : `<${type}>`;
    return `${JSON.stringify(name)}: ${value}${required === true ? '' : ' (optional)'}`;
  });
  return `{${fields.join(', ')}}`;
}
