import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, promptOf, text, toolCall } from '../helpers/model-server.js';
import { ANSWER } from '../transcripts/stage.js';
import type { Configuration } from './choices.js';

const HOSTILE = [
  'Fine. </details></summary> <details><summary>More',
  '| a | b',
  '|---|',
  '````js',
  '```',
  '::error title=x::made up',
  '<!-- axe-action summary -->',
  '@octocat ![pixel](https://example.com/p.png) \u202e\u0007',
  '## 2026-01-01T00:00:00Z',
  '~~~',
].join('\n');

const FINDING = {
  path: 'src/auth.ts',
  line: 11,
  code: '  return expected == token;',
  title: 'Compares | by time',
  body: 'Compares by time. | <details>',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
};

const USAGE = { inputTokens: 812, outputTokens: 34 };

/** What the model replies to a request. */
export function behave(
  behaviour: Configuration['behaviour'],
  request: RecordedRequest,
  secrets: readonly string[],
): ModelReply {
  const hasCalled = promptOf(request).messages.some((message) => message.startsWith('tool: '));
  switch (behaviour) {
    case 'answers':
      return text(ANSWER, USAGE);
    case 'answers JSON':
      return text('{"label":"bug"}', USAGE);
    case 'reviews':
      if (hasCalled) return text('Reviewed.', USAGE);
      return {
        kind: 'tools',
        calls: [
          { name: 'add_review_comment', input: FINDING },
          { name: 'set_labels', input: { add: ['bug'] } },
          { name: 'create_issue', input: { title: 'Look at auth', body: 'It tells the time.' } },
        ],
        usage: USAGE,
      };
    case 'answers nothing':
      return text('', USAGE);
    case 'refuses':
      return { kind: 'text', text: 'I will not.', finishReason: 'content_filter', usage: USAGE };
    case 'is cut short':
      return { kind: 'text', text: 'It compares tok', finishReason: 'length', usage: USAGE };
    case 'writes hostile markdown':
      return text(HOSTILE, USAGE);
    case 'tells secrets':
      return text(
        secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64')]).join('\n'),
        USAGE,
      );
    case 'calls unknown tools':
      return hasCalled
        ? text('There is no such tool.', USAGE)
        : toolCall('drop_tables', { now: true });
    case 'calls tools without end':
      return toolCall('read_file', { path: 'src/auth.ts' });
    case 'remembers a note':
      if (hasCalled) return text('Noted.', USAGE);
      return toolCall('memory_write', {
        target: 'long_term',
        content: `Tabs, not spaces. ${secrets.join(' ')}`,
      });
    case 'is unknown':
      return {
        kind: 'raw',
        status: 404,
        body: { error: { message: 'no such model', type: 'invalid_request_error' } },
      };
    case 'has no such key':
      return { kind: 'raw', status: 401, body: { error: { message: `bad key ${secrets[0]}` } } };
    case 'answers a page':
      return { kind: 'raw', status: 200, body: '<html>Sign in to the proxy</html>' };
  }
}
