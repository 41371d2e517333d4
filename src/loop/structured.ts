import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelParams } from '../agent/config.js';
import { depthExceeds } from '../lib/data.js';
import { STRUCTURED_LIMITS } from '../lib/defaults.js';
import { AxeError, ConfigError, messageOf } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';

/** That the answer is to be JSON, and by which schema. */
type JsonFormat = Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>;

export type JsonSchema = NonNullable<JsonFormat['schema']>;

/** What is wrong with a value, a clause each; empty if nothing is. */
export type ValueCheck = (value: unknown) => readonly string[];

/**
 * The form the answer must have, undefined for any text: the `output-schema` input (an empty one counts as not given),
 * else the agent's `params.response_format`. Throws a ConfigError for a schema that cannot be used.
 */
export function responseFormatOf(
  { responseFormat }: Pick<ModelParams, 'responseFormat'>,
  outputSchema: string | undefined,
): JsonFormat | undefined {
  const origin = schemaOrigin(outputSchema);
  if (isGiven(outputSchema)) return formatFor(parseSchema(outputSchema, origin), origin);
  if (responseFormat === undefined || responseFormat.type === 'text') return undefined;
  // axe takes the bare word `json_schema` too; nothing but JSON can be asked for then.
  const schema = responseFormat.type === 'json_schema' ? responseFormat.schema : undefined;
  return schema === undefined ? { type: 'json' } : formatFor(schema, origin);
}

/** The input or key the schema comes from, in backticks, for messages. */
export function schemaOrigin(outputSchema: string | undefined): string {
  return isGiven(outputSchema) ? '`output-schema`' : '`params.response_format.schema`';
}

/** What is said to the model at the end of the task: not every provider passes a schema on. */
export function formatInstruction({ schema }: JsonFormat): string {
  const form =
    'Your final answer must be one JSON object and nothing else: no code fence, no text around it.';
  if (schema === undefined) return form;
  return `Your final answer must be one JSON value and nothing else: no code fence, no text around it. It must be valid against this JSON schema:\n${JSON.stringify(schema)}`;
}

/** The check for an answer without a schema: it is a JSON object. */
export function checkObject(value: unknown): readonly string[] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? [] : ['it is JSON, but not an object'];
}

/** Takes the JSON out of an answer, a code fence around it or not, and checks it: the value, or what is wrong with it. */
function readStructured(answer: string, check: ValueCheck): ReturnType<typeof findJson> {
  const { value, problem } = findJson(answer);
  if (problem !== undefined) return { problem: cleanLine(problem, MAX_CLAUSE) };
  const { depth } = STRUCTURED_LIMITS;
  if (depthExceeds(value, depth)) return { problem: `it is nested more than ${depth} levels deep` };
  // Keys in problems are the model's words, and a wrong list can have thousands of them.
  const problems = check(value).map((one) => cleanLine(one, MAX_CLAUSE));
  if (problems.length === 0) return { value };
  const left = problems.length - MAX_PROBLEMS;
  return { problem: problems.slice(0, MAX_PROBLEMS).join('; ') + (left > 0 ? `; and ${left} more` : '') };
}

const MAX_PROBLEMS = 5;
const MAX_CLAUSE = 200;

function isGiven(outputSchema: string | undefined): outputSchema is string {
  return outputSchema !== undefined && outputSchema.trim() !== '';
}

function parseSchema(text: string, origin: string): unknown {
  const remedy = 'Give a JSON schema that is an object, for example `{"type": "object"}`.';
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (thrown) {
    const reason = cleanLine(messageOf(thrown), MAX_CLAUSE);
    throw new ConfigError(`${origin} is not JSON: ${reason}`, { remedy, cause: thrown });
  }
  if (checkObject(schema).length > 0)
    throw new ConfigError(`${origin} is JSON, but not an object`, { remedy });
  return schema;
}

function formatFor(schema: unknown, origin: string): JsonFormat {
  const { depth } = STRUCTURED_LIMITS;
  if (depthExceeds(schema, depth)) {
    throw new ConfigError(`the JSON schema of ${origin} is nested more than ${depth} levels deep`, {
      remedy: 'Put inner schemas under `$defs` and refer to them with `$ref: "#/$defs/name"`.',
    });
  }
  // The door: the interface asks for draft 7, and providers take what users write; the compiler checks the rest.
  return { type: 'json', schema: schema as JsonSchema };
}

export interface AnswerForm {
  readonly format: JsonFormat;
  readonly check: ValueCheck;
}

/** What becomes of a reply without tool calls. */
type JudgedAnswer =
  | { readonly kind: 'final'; readonly answer: string }
  /** To be said to the model, which may try once more. */
  | { readonly kind: 'again'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: AxeError };

/** Takes an answer as it is, or checks it where it must be JSON; a wrong one may be corrected once. */
export function judgeAnswer(answer: string, form: AnswerForm | undefined, mayCorrect: boolean): JudgedAnswer {
  if (form === undefined) return { kind: 'final', answer };
  const { value, problem } = readStructured(answer, form.check);
  // Written anew, so that what is handed on is exactly what was checked.
  if (problem === undefined) return { kind: 'final', answer: JSON.stringify(value) };
  if (mayCorrect) {
    const message = `Your last answer could not be used: ${problem}. Send the whole answer again as JSON of the form that was asked for, and nothing else: no code fence, no explanation, no tool call.`;
    return { kind: 'again', message };
  }
  const error = new AxeError(`the answer is not the JSON that was asked for: ${problem}`, {
    remedy:
      "Describe the form in the agent's `system_prompt` too, make the schema simpler, or choose another model.",
  });
  return { kind: 'failed', error };
}

/** The JSON value that an answer is, or that is in its one code fence, whatever is said around it; or why there is none. */
export function findJson(answer: string): { readonly value?: unknown; readonly problem?: string } {
  const text = answer.trim();
  if (text === '') return { problem: 'the answer is empty' };
  const whole = parse(text);
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => FENCE.test(line));
  if (whole.problem === undefined || start < 0) return whole;
  // The last one may be missing.
  const end = lines.findLastIndex((line) => FENCE.test(line));
  return parse(lines.slice(start + 1, end > start ? end : undefined).join('\n'));
}

const FENCE = /^ {0,3}(?:```|~~~)/;

function parse(text: string): ReturnType<typeof findJson> {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { problem: `it is not JSON (${messageOf(thrown)})` };
  }
}
