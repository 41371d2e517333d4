import type { BaseIssue } from 'valibot';
import type { AgentProblem } from './problem.js';
import { exampleOf, isTable } from './schema.js';
import { showKey } from './show-key.js';
import type { KeyPath } from './toml-keys.js';

/** A value of the wrong type: `expected` is the schema's word for the right one. */
export function typeProblem(path: KeyPath, expected: string, value: unknown): AgentProblem {
  return {
    message: `${showKey(path)} must be ${expected}, but is ${describe(value)}`,
    remedy: `Write it like this: ${rightForm(path, expected, value)}.`,
    path,
  };
}

/** An issue of the schema as a problem of the file. */
export function issueProblem(issue: BaseIssue<unknown>): AgentProblem {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  if (issue.kind === 'schema') return typeProblem(path, issue.message, issue.input);
  return {
    message: `${showKey(path)}: ${String(issue.input).slice(0, 40)} is out of range`,
    remedy: `The largest number is ${Number.MAX_SAFE_INTEGER}.`,
    path,
  };
}

/** A line the user can copy. Texts of the file are not repeated: they may be secrets. */
function rightForm(path: KeyPath, expected: string, value: unknown): string {
  const key = path.at(-1);
  if (typeof key === 'number') return rightForm(path.slice(0, -1), listOf(expected), value);
  if (expected === 'a table') return `\`[${showKey(path)}]\`, with its keys on the lines below`;
  if (expected === 'a list of tables') return `\`[[${showKey(path)}]]\`, with its keys on the lines below`;
  return `\`${showKey(path.slice(-1))} = ${meantValue(expected, value) ?? exampleOf(expected) ?? ''}\``;
}

function listOf(expected: string): string {
  return expected === 'a table' ? 'a list of tables' : 'a list of strings';
}

/** The value in the right type, where it is plain what was meant. */
function meantValue(expected: string, value: unknown): string | undefined {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  if (expected === 'an integer' && isWhole) return String(value);
  if (typeof value !== 'string') return undefined;
  if (expected === 'an integer' && /^-?\d{1,15}$/.test(value)) return String(Number(value));
  if (expected === 'a number' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value)) return value;
  if (expected === 'true or false' && /^(true|false)$/i.test(value)) return value.toLowerCase();
  return undefined;
}

function describe(value: unknown): string {
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'number') return 'a float';
  if (typeof value === 'boolean') return 'a boolean';
  if (Array.isArray(value)) return 'a list';
  return isTable(value) ? 'a table' : 'a date or time';
}
