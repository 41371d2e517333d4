import { ToolError } from '../../errors.js';
import { sizeProblem } from '../../review/answers.js';
import { TEXT_LIMITS } from '../../review/publish-rules.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';

/** A summary of several passes. */
export interface WrittenSummary {
  readonly summary: string;
  /** Numbers of findings that are one, the better one first. */
  readonly same: readonly { readonly keep: number; readonly drop: number }[];
}

/** The name of the tool by which a summariser ends its work. */
const WRITE_SUMMARY = 'write_summary';

/** `write_summary`: the one summary of a review in several passes. No agent can be given this tool. */
export function createWriteSummary(take: (written: WrittenSummary) => void): Tool {
  return defineTool({
    name: WRITE_SUMMARY,
    effect: 'publish',
    description: 'The summary of the whole review, once.',
    shape: {
      summary: { type: 'string', description: 'Two to five sentences, in markdown.', required: true },
      same: {
        type: 'list',
        description: 'Findings that are one fault seen from two places.',
        item: {
          keep: { type: 'integer', description: 'Number of the better one.', required: true, minimum: 1 },
          drop: { type: 'integer', description: 'Number of the other one.', required: true, minimum: 1 },
        },
      },
    },
    async run({ summary, same = [] }) {
      const problem = sizeProblem('summary', summary, TEXT_LIMITS.summaryBytes);
      if (problem !== undefined) throw new ToolError(`Not taken: ${problem}.`);
      take({ summary, same });
      return 'Taken.';
    },
  });
}
