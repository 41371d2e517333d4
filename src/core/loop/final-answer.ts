import { AxeError } from '../errors.js';
import { checkStructured, correctionMessage, type JsonFormat, type ValueCheck } from './structured.js';

/** The form the answer must have, and what tells whether it has. */
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
  const checked = checkStructured(answer, form.check);
  if (checked.kind === 'valid') return { kind: 'final', answer: checked.json };
  if (mayCorrect) return { kind: 'again', message: correctionMessage(checked.problem) };
  const error = new AxeError(`the answer is not the JSON that was asked for: ${checked.problem}`, {
    remedy:
      "Describe the form in the agent's `system_prompt` too, make the schema simpler, or take another model.",
  });
  return { kind: 'failed', error };
}

/** A call that a model has written as text, at the beginning of a line; code blocks may quote one. */
const WRITTEN_CALL =
  /((?:```|~~~)[\s\S]*?(?:```|~~~|$(?![\s\S])))|^[ \t]*<tool_call>\s*(?:\{|<function)[\s\S]*?(?:<\/tool_call>|$(?![\s\S]))/gm;

/** The text without such calls. They are never run: a text may quote whoever wrote such a thing. */
export function withoutWrittenCalls(text: string): string {
  const rest = text.replace(WRITTEN_CALL, (_, code: string | undefined) => code ?? '');
  return rest === text ? text : rest.trim();
}
