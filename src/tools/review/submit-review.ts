import type { Publications } from '../../review/buffer.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `submit_review`: the summary of the review. */
export function createSubmitReview(publications: Publications): Tool {
  return defineTool({
    name: 'submit_review',
    effect: 'publish',
    description:
      'Sets the summary of your review; the last call counts. The review is posted when the run ends, with the comments that were added. Whether it asks for changes is decided by its findings; it never approves.',
    shape: {
      summary: {
        type: 'string',
        description: 'A few sentences in markdown, at most 8192 bytes. Do not repeat the comments.',
        required: true,
      },
    },
    async run({ summary }) {
      return publishedText(publications.submitReview(summary));
    },
  });
}
