import { ToolError } from '../../lib/errors.js';
import type { PublicationAnswer } from '../../review/answer.js';

/** The text of an answer of the buffer's as a tool's answer. Throws a ToolError for a refusal. */
export function publishedText(answer: PublicationAnswer): string {
  switch (answer.kind) {
    case 'taken':
      return answer.text;
    case 'refused':
      throw new ToolError(answer.text);
  }
}
