import { ToolError } from '../lib/errors.js';
import { shown } from '../lib/text/cut.js';
import { checkInput, explainProblems, type InputOf, type Shape, schemaOf } from './check-input.js';
import type { Effect, Tool, ToolResult } from './tool.js';

/** A tool with typed arguments. */
interface ToolDefinition<S extends Shape> {
  readonly name: string;
  readonly effect: Effect;
  readonly isReadOnly?: boolean;
  readonly description: string;
  readonly shape: S;
  /** The answer. A ToolError's message is the answer to a call that failed. */
  run(input: InputOf<S>, signal: AbortSignal): Promise<string | ToolText>;
}

/** An answer that says whose words it holds. */
export interface ToolText {
  readonly text: string;
  readonly isTainted: boolean;
  readonly shown?: ToolResult['shown'];
}

/** Makes a tool that checks its arguments before it runs and turns every ToolError into a result. */
export function defineTool<const S extends Shape>(definition: ToolDefinition<S>): Tool {
  const { name, effect, isReadOnly, description, shape } = definition;
  return {
    name,
    effect,
    isReadOnly,
    description,
    inputSchema: schemaOf(shape),
    async execute(input, signal) {
      const checked = checkInput(shape, input);
      if (checked.kind === 'wrong') {
        return { text: explainProblems(name, shape, checked.problems), isError: true };
      }
      try {
        signal.throwIfAborted();
        const result = await definition.run(checked.input, signal);
        return typeof result === 'string' ? { text: result, isError: false } : { ...result, isError: false };
      } catch (thrown) {
        if (thrown instanceof ToolError) return { text: thrown.message, isError: true };
        throw thrown;
      }
    },
  };
}

/** One of a few words, in any case; the first where none was given. Throws a ToolError that lists them. */
export function readChoice<const Word extends string>(
  argument: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  return given === undefined || given.trim() === '' ? words[0] : needChoice(argument, given, words);
}

/** The same for an argument that has no default. */
export function needChoice<const Word extends string>(
  argument: string,
  given: string,
  words: readonly Word[],
): Word {
  const word = given
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  const listed = words.map((one) => `\`${one}\``).join(', ');
  throw new ToolError(`\`${argument}\` is one of ${listed}, not ${shown(given)}`);
}
