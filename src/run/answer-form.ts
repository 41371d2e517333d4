import type { ModelParams } from '../core/agent/config.js';
import type { Dependencies } from '../core/dependencies.js';
import type { AnswerForm } from '../core/loop/final-answer.js';
import { checkObject, formatInstruction, responseFormatOf, schemaOrigin } from '../core/loop/structured.js';
import { causeFirst } from '../core/time-limit.js';

interface FormDependencies extends Pick<Dependencies, 'compileSchema' | 'deadline'> {
  readonly clock: Pick<Dependencies['clock'], 'sleep'>;
}

/** The form an agent's answer must have; undefined for any text. Throws a ConfigError for a schema of no use. */
export async function answerForm(
  params: Pick<ModelParams, 'responseFormat'>,
  outputSchema: string,
  { compileSchema, deadline, clock }: FormDependencies,
): Promise<AnswerForm | undefined> {
  const format = responseFormatOf(params, outputSchema);
  if (format === undefined) return undefined;
  const { schema } = format;
  if (schema === undefined) return { format, check: checkObject };
  const compiled = () => compileSchema(schema, schemaOrigin(outputSchema), () => deadline.leftMs());
  const check = await causeFirst(compiled, { clock, signal: deadline.signal });
  return { format, check };
}

/** The user message with the form of the answer at its end, since not every provider passes a schema on. */
export function withInstruction(message: string, form: AnswerForm | undefined): string {
  return form === undefined ? message : `${message}\n\n${formatInstruction(form.format)}`;
}
