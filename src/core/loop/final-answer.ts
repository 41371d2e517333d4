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
