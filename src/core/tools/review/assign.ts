import { splitNames } from '../../review/allow-list.js';
import type { Publications } from '../../review/buffer.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `assign`: people for the issue or pull request. */
export function createAssign(publications: Publications): Tool {
  return defineTool({
    name: 'assign',
    effect: 'publish',
    description:
      'Assigns people to the issue or pull request of this run, when the run ends. Only logins that the workflow allows are taken; the answer names them.',
    shape: {
      logins: { type: 'string', description: 'Logins, separated by commas.', required: true },
    },
    async run({ logins }) {
      return publishedText(publications.assign(splitNames(logins)));
    },
  });
}
