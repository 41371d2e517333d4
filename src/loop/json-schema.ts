import { createContext, Script } from 'node:vm';
import type { Ajv, ErrorObject, Options } from 'ajv';
import { STRUCTURED_LIMITS } from '../lib/defaults.js';
import { ConfigError, messageOf } from '../lib/errors.js';
import { errorCode } from '../lib/files.js';
import type { JsonSchema, ValueCheck } from './structured.js';

/**
 * A check for values by a JSON schema: draft 2020-12, or draft 7 where `$schema` says so. `format` is a note and is not
 * checked, unknown keywords are ignored, only own properties count. `origin` names the input or key the schema comes
 * from; trouble with it is a ConfigError, also when the check runs. Patterns and references can take any time, so a check
 * ends after {@link STRUCTURED_LIMITS} and where `leftMs` is over.
 */
export async function compileSchema(
  schema: JsonSchema,
  origin: string,
  leftMs: () => number,
): Promise<ValueCheck> {
  const ajv = await openCompiler(schema, origin);
  const usable = <T>(work: () => T, what: string): T => {
    try {
      return withinTime(work, Math.min(STRUCTURED_LIMITS.checkMs, leftMs() + TIMER_MS));
    } catch (thrown) {
      if (!(thrown instanceof OutOfTime)) throw unusable(origin, thrown);
      const limit =
        leftMs() > 0 ? `more than ${STRUCTURED_LIMITS.checkMs / 1000} s` : 'longer than the run has left';
      throw unusable(origin, new Error(`${what} takes ${limit}`));
    }
  };
  const copy: Readonly<Record<string, unknown>> = { ...schema };
  const validate = usable(() => ajv.compile(copy), 'preparing it');
  return (value) =>
    usable(() => (validate(value) ? [] : (validate.errors ?? []).map(describeError)), 'checking an answer');
}

/** A check that the deadline ends must not end before it: then the deadline is what is reported. */
const TIMER_MS = 5;

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema';

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  ownProperties: true,
  validateFormats: false,
  logger: false,
};

/**
 * Refuses an invalid JSON schema. Unlike {@link compileSchema} it makes no program of it, so the schema may be anybody's;
 * references and patterns are not looked at. Throws a ConfigError.
 */
export async function inspectSchema(schema: JsonSchema, origin: string): Promise<void> {
  const ajv = await openCompiler(schema, origin);
  const copy: Readonly<Record<string, unknown>> = { ...schema };
  try {
    await ajv.validateSchema(copy, true);
  } catch (thrown) {
    throw unusable(origin, thrown);
  }
}

/**
 * Few runs have a schema, and loading the package takes a sixth of a run's start. Bundled, a package of CommonJS that is
 * loaded late has nothing but its `default`.
 */
async function openCompiler(schema: JsonSchema, origin: string): Promise<Ajv> {
  const { $schema } = schema;
  // What it would compile gives a promise, and a promise passes for a good answer.
  if ('$async' in schema) {
    throw new ConfigError(`the JSON schema of ${origin} uses \`$async\`, which JSON Schema does not have`, {
      remedy: 'Remove `$async`.',
    });
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

/** Where, and what; the values that were allowed, and the name that was not. */
function describeError({ instancePath, message, keyword, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the answer' : `\`${instancePath}\``;
  const what = message ?? `breaks \`${keyword}\``;
  const detail: unknown = params['allowedValues'] ?? params['allowedValue'] ?? params['additionalProperty'];
  return detail === undefined ? `${where} ${what}` : `${where} ${what}: ${JSON.stringify(detail)}`;
}

/** Work that a watchdog ended. */
class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

const CALL = new Script('work()');

/**
 * Does work that never waits, such as matching somebody's pattern, and has a thread of Node's end it when it takes too
 * long. Timers and signals wait meanwhile. Throws an {@link OutOfTime}, and what the work throws.
 */
function withinTime<T>(work: () => T, limitMs: number): T {
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
  if (result === undefined) throw new OutOfTime(`it took more than ${limitMs} ms`);
  return result.value;
}
