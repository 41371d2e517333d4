import { createContext, Script } from 'node:vm';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Ajv, ErrorObject, Options } from 'ajv';
import type { ModelParams } from '../agent/config.js';
import { LONGEST_TIMER_MS } from '../lib/clock.js';
import { depthExceeds, isObject } from '../lib/data.js';
import { STRUCTURED_LIMITS } from '../lib/defaults.js';
import { AxeError, ConfigError, messageOf } from '../lib/errors.js';
import { errorCode } from '../lib/files.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import { cleanLine, count, formatInteger } from '../lib/text/format.js';

/** The answer must be JSON, and valid against the schema if there is one. */
type JsonFormat = Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>;

/** @internal */
export type JsonSchema = NonNullable<JsonFormat['schema']>;

/** Returns a clause for each fault of a value; none if the value is valid. @internal */
export type ValueCheck = (value: unknown) => readonly string[];

/**
 * The required form of the answer, undefined for any text: the `output-schema` input if it is not
 * empty, else the agent's `params.response_format`. Throws a ConfigError for a schema that cannot
 * be used.
 */
export function responseFormatOf(
  { responseFormat }: Pick<ModelParams, 'responseFormat'>,
  outputSchema: string,
): JsonFormat | undefined {
  const origin = schemaOrigin(outputSchema);
  if (isGiven(outputSchema)) return formatFor(parseSchema(outputSchema, origin), origin);
  if (responseFormat === undefined || responseFormat.type === 'text') return undefined;
  // axe accepts `json_schema` without a schema too, which asks for any JSON.
  const schema = responseFormat.type === 'json_schema' ? responseFormat.schema : undefined;
  return schema === undefined ? { type: 'json' } : formatFor(schema, origin);
}

/** The input or key the schema comes from, in backticks, for messages. */
export function schemaOrigin(outputSchema: string): string {
  return isGiven(outputSchema) ? '`output-schema`' : '`params.response_format.schema`';
}

/** Goes to the end of the task, since not every provider passes a schema on to the model. */
export function formatInstruction({ schema }: JsonFormat): string {
  const form =
    'Your final answer must be one JSON object and nothing else: no code fence, no text around it.';
  if (schema === undefined) return form;
  return `Your final answer must be one JSON value and nothing else: no code fence, no text around it. It must be valid against this JSON schema:\n${JSON.stringify(schema)}`;
}

/** Without a schema the answer must be a JSON object. */
export function checkObject(value: unknown): readonly string[] {
  return isObject(value) ? [] : ['it is JSON, but not an object'];
}

/** Reads the JSON of an answer, in a code fence or not: its value, or why it is not valid. */
function readStructured(answer: string, check: ValueCheck): ReturnType<typeof findJson> {
  const { value, problem } = findJson(answer);
  if (problem !== undefined) return { problem: cleanLine(problem, MAX_CLAUSE) };
  const { depth } = STRUCTURED_LIMITS;
  if (depthExceeds(value, depth)) return { problem: `it is nested more than ${depth} levels deep` };
  // The model chose the keys in these clauses, and a wrong list can cause thousands of them.
  const problems = check(value).map((clause) => cleanLine(clause, MAX_CLAUSE));
  if (problems.length === 0) return { value };

  const moreCount = problems.length - MAX_PROBLEMS;
  const more = moreCount > 0 ? `; and ${moreCount} more` : '';
  return { problem: problems.slice(0, MAX_PROBLEMS).join('; ') + more };
}

const MAX_PROBLEMS = 5;
const MAX_CLAUSE = 200;

function isGiven(outputSchema: string): boolean {
  return outputSchema.trim() !== '';
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
  // The SDK's type is draft 7, but providers accept other drafts; the compiler checks the rest.
  return { type: 'json', schema: schema as JsonSchema };
}

export interface AnswerForm {
  readonly format: JsonFormat;
  readonly check: ValueCheck;
}

type JudgedAnswer =
  | { readonly kind: 'final'; readonly answer: string }
  /** Goes to the model, which has one more try. */
  | { readonly kind: 'again'; readonly message: string }
  | { readonly kind: 'failed'; readonly error: AxeError };

/** Accepts any answer without a `form`, else checks its JSON; the model can correct it once. */
export function judgeAnswer(
  answer: string,
  form: AnswerForm | undefined,
  canCorrect: boolean,
): JudgedAnswer {
  if (form === undefined) return { kind: 'final', answer };
  const { value, problem } = readStructured(answer, form.check);
  // Serialized again, so that the output is exactly the value that was checked.
  if (problem === undefined) return { kind: 'final', answer: JSON.stringify(value) };
  if (canCorrect) {
    const message = `Your last answer could not be used: ${problem}. Send the whole answer again as JSON of the form that was asked for, and nothing else: no code fence, no explanation, no tool call.`;
    return { kind: 'again', message };
  }
  const error = new AxeError(`the answer is not the JSON that was asked for: ${problem}`, {
    remedy:
      "Describe the form in the agent's `system_prompt` too, make the schema simpler, or choose another model.",
  });
  return { kind: 'failed', error };
}

/** The JSON value of an answer, or of the one code fence in it; or why there is none. */
export function findJson(answer: string): { readonly value?: unknown; readonly problem?: string } {
  const text = answer.trim();
  if (text === '') return { problem: 'the answer is empty' };
  const whole = parse(text);
  if (whole.problem === undefined) return whole;

  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => FENCE.test(line));
  if (start < 0) return whole;
  // The closing fence might be missing.
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

/**
 * Makes a check of values by a JSON schema: draft 2020-12, or draft 7 if `$schema` says so.
 * `format` is not checked, unknown keywords are ignored, and only own properties count. `origin`
 * names the input or key the schema comes from. A schema that cannot be used is a ConfigError, also
 * when the check runs. The preparation is limited by the size of the schema, and the time of a check
 * by {@link STRUCTURED_LIMITS}, since a pattern can take any time; both end when `leftMs` is over.
 */
export async function compileSchema(
  schema: JsonSchema,
  origin: string,
  leftMs: () => number,
): Promise<ValueCheck> {
  const tooLarge = whyTooLarge(schema);
  if (tooLarge !== undefined) throw unusable(origin, new Error(tooLarge));
  const ajv = await openCompiler(schema, origin);
  const runInTime = <T>(work: () => T, step: string, limitMs = LONGEST_TIMER_MS): T => {
    try {
      const done = withinTime(work, Math.min(limitMs, leftMs() + TIMER_MS));
      if (done !== undefined) return done.value;
    } catch (thrown) {
      throw unusable(origin, thrown);
    }

    const limit =
      leftMs() > 0
        ? `more than ${STRUCTURED_LIMITS.checkMs / 1000} s`
        : 'longer than the run has left';
    throw unusable(origin, new Error(`${step} takes ${limit}`));
  };

  const validate = runInTime(() => ajv.compile({ ...schema }), 'preparing it');
  return (value) =>
    runInTime(
      () => (validate(value) ? [] : (validate.errors ?? []).map(describeError)),
      'checking an answer',
      STRUCTURED_LIMITS.checkMs,
    );
}

/** With `inlineRefs: false` the work of preparing a schema grows with these counts alone. */
function whyTooLarge(schema: JsonSchema): string | undefined {
  const { schemaBytes, patterns, references } = STRUCTURED_LIMITS;
  const counts = { patterns: 0, references: 0 };
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'pattern') counts.patterns += 1;
    if (key === 'patternProperties' && isObject(value))
      counts.patterns += Object.keys(value).length;
    if (key === '$ref' || key === '$dynamicRef') counts.references += 1;
    return value;
  });
  const bytes = utf8Bytes(text);
  if (bytes > schemaBytes)
    return `it has ${formatInteger(bytes)} bytes, and at most ${formatInteger(schemaBytes)} are allowed`;
  if (counts.patterns > patterns)
    return `it has ${count(counts.patterns, 'pattern')}, and at most ${patterns} are allowed`;
  return counts.references > references
    ? `it has ${count(counts.references, 'reference')}, and at most ${references} are allowed`
    : undefined;
}

/** A check ends only after the deadline, so that the deadline is the error that is reported. */
const TIMER_MS = 5;

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema';

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  // Inlined copies of what a reference names multiply the work of preparing a schema.
  inlineRefs: false,
  logger: false,
};

/**
 * Refuses an invalid JSON schema with a ConfigError. Unlike {@link compileSchema} it generates no
 * code, so the schema can come from a stranger; references and patterns are not checked.
 */
export async function inspectSchema(schema: JsonSchema, origin: string): Promise<void> {
  const ajv = await openCompiler(schema, origin);
  try {
    await ajv.validateSchema({ ...schema }, true);
  } catch (thrown) {
    throw unusable(origin, thrown);
  }
}

/**
 * Few runs have a schema, and loading the package takes a sixth of a run's start time. In the
 * bundle a dynamic import of a CommonJS package has only its `default`.
 */
async function openCompiler(schema: JsonSchema, origin: string): Promise<Ajv> {
  const { $schema } = schema;
  // An asynchronous check returns a promise, which would count as a valid answer.
  if ('$async' in schema) {
    throw new ConfigError(
      `the JSON schema of ${origin} uses \`$async\`, which JSON Schema does not have`,
      {
        remedy: 'Remove `$async`.',
      },
    );
  }
  const draft = typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema;
  if (draft === undefined || draft === DRAFT_2020) {
    const { default: draft2020 } = await import('ajv/dist/2020.js');
    return new draft2020.Ajv2020(OPTIONS);
  }
  if (draft === DRAFT_7) {
    const { default: draft7 } = await import('ajv');
    return new draft7.Ajv(OPTIONS);
  }
  throw new ConfigError(
    `the JSON schema of ${origin} uses a draft we do not know: ${JSON.stringify($schema)}`,
    { remedy: `Set \`$schema\` to "${DRAFT_2020}" or "${DRAFT_7}#", or leave it out.` },
  );
}

function unusable(origin: string, thrown: unknown): ConfigError {
  return new ConfigError(`the JSON schema of ${origin} cannot be used: ${messageOf(thrown)}`, {
    remedy:
      'Fix the schema, and keep patterns and references simple: `(a+)+` can take years. It follows JSON Schema, draft 2020-12 unless `$schema` says draft 7; other documents are not fetched.',
    cause: thrown,
  });
}

function describeError({ instancePath, message, keyword, params }: ErrorObject): string {
  const subject = instancePath === '' ? 'the answer' : `\`${instancePath}\``;
  const clause = `${subject} ${message ?? `breaks \`${keyword}\``}`;
  const detail: unknown =
    params['allowedValues'] ?? params['allowedValue'] ?? params['additionalProperty'];
  return detail === undefined ? clause : `${clause}: ${JSON.stringify(detail)}`;
}

const CALL = new Script('work()');

/**
 * Runs synchronous work, such as matching a user's pattern, and returns undefined if it takes too
 * long: a watchdog thread of Node's stops it. Timers and signals wait meanwhile. Throws what the
 * work throws.
 */
function withinTime<T>(work: () => T, limitMs: number): { readonly value: T } | undefined {
  let result: { readonly value: T } | undefined;
  const context = createContext({
    work: () => {
      result = { value: work() };
    },
  });
  try {
    CALL.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) });
  } catch (thrown) {
    if (errorCode(thrown) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
  }
  return result;
}
