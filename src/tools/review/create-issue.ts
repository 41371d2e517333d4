import { splitNames } from '../../review/allow-list.js';
import type { Publications } from '../../review/buffer.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `create_issue`: a new issue in the repository. */
export function createCreateIssue(publications: Publications): Tool {
  return defineTool({
    name: 'create_issue',
    effect: 'publish',
    description:
      'Opens an issue in this repository when the run ends. A run may open very few: only for what somebody has to act on and what has no place in your answer. Calling again with the same title changes the issue.',
    shape: {
      title: { type: 'string', description: 'One line of at most 200 characters.', required: true },
      body: { type: 'string', description: 'Markdown, at most 32768 bytes.', required: true },
      labels: {
        type: 'string',
        description: 'Labels, separated by commas; only those that the workflow allows are taken.',
      },
    },
    async run({ title, body, labels }) {
      return publishedText(publications.createIssue({ title, body, labels: splitNames(labels) }));
    },
  });
}
