import type { ModelParams } from '../axe/agent/config.js';
import type { AnswerForm } from '../axe/loop/final-answer.js';
import { checkObject, formatInstruction, responseFormatOf, schemaOrigin } from '../axe/loop/structured.js';
import type { World } from '../axe/ports.js';
import { causeFirst } from '../axe/time-limit.js';

interface FormWorld extends Pick<World, 'compileSchema' | 'deadline'> {
  readonly clock: Pick<World['clock'], 'sleep'>;
}

/** The form an agent's answer must have; undefined for any text. Throws a ConfigError for a schema of no use. */
export async function answerForm(
  params: Pick<ModelParams, 'responseFormat'>,
  outputSchema: string,
  { compileSchema, deadline, clock }: FormWorld,
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
