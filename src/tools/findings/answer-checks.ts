import { CHECK_ANSWERS } from '../../findings/check-rows.js';
import type { CheckAnswers } from '../../findings/decide/check-answers.js';
import { ToolError } from '../../lib/errors.js';
import { defineTool, readChoice, type Tool } from '../tool.js';

/** `answer_checks`: the answers to the checks of a project. Agents cannot have this tool. */
export function createAnswerChecks(answers: CheckAnswers): Tool {
  return defineTool({
    name: 'answer_checks',
    effect: 'publish',
    description:
      'Your answers to the rules, all in one call. Call again for those that are missing; the first valid answer counts.',
    shape: {
      answers: {
        type: 'list',
        description: 'One for each rule.',
        required: true,
        item: {
          check: { type: 'string', description: 'Name of the rule.', required: true },
          answer: {
            type: 'string',
            description: 'Whether the change keeps it.',
            required: true,
            choices: CHECK_ANSWERS,
          },
          why: {
            type: 'string',
            description: 'One sentence, at most 200 characters.',
            required: true,
          },
          path: { type: 'string', description: 'Path of the quoted line.' },
          line: { type: 'integer', description: 'Its number.', minimum: 1 },
          code: { type: 'string', description: 'The line, copied as it is.' },
        },
      },
    },
    async run({ answers: proposals }) {
      const { kind, text } = answers.give(
        proposals.map((proposed) => ({
          ...proposed,
          answer: readChoice('answer', proposed.answer, CHECK_ANSWERS),
        })),
      );
      if (kind === 'refused') throw new ToolError(text);
      return text;
    },
  });
}
