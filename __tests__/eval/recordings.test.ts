import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openRecordings, recordedModels, requestKey } from '../../eval/recordings.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import { tempDir } from '../helpers/temp.js';

const BODY = {
  model: 'claude-sonnet-5-5',
  max_tokens: 4096,
  system: [{ type: 'text', text: 'You review.' }],
  messages: [
    {
      role: 'user',
      content: 'At 2026-01-02T03:04:05Z, http://127.0.0.1:4711 said 01hzzzzzzzzzzzzzzzzzzzzzzz.',
    },
  ],
  tools: [{ name: 'submit_review' }],
};

function request(body: object = BODY): RecordedRequest {
  return {
    method: 'POST',
    path: '/v1/messages',
    query: new URLSearchParams(),
    headers: {},
    bytes: Buffer.alloc(0),
    body,
  };
}

it.each([
  [
    'another time',
    { messages: [{ role: 'user', content: BODY.messages[0]?.content.replace('03:04:05', '13:14:15') }] },
  ],
  [
    'another port',
    { messages: [{ role: 'user', content: BODY.messages[0]?.content.replace('4711', '1234') }] },
  ],
  [
    'another id',
    { messages: [{ role: 'user', content: BODY.messages[0]?.content.replace('01hz', '01ha') }] },
  ],
  ['another limit', { max_tokens: 1 }],
])('%s is the same request', (_, patch) => {
  expect(requestKey(request({ ...BODY, ...patch }))).toBe(requestKey(request()));
});

it.each([
  ['another prompt', { system: [{ type: 'text', text: 'You review well.' }] }],
  ['another message', { messages: [{ role: 'user', content: 'Hello.' }] }],
  ['another tool', { tools: [{ name: 'settle_finding' }] }],
  ['another model', { model: 'claude-haiku-5-5' }],
])('%s is another request', (_, patch) => {
  expect(requestKey(request({ ...BODY, ...patch }))).not.toBe(requestKey(request()));
});

it('answers are recorded without secrets, in the order in which they were given', () => {
  const folder = tempDir('recorded');
  const recordings = openRecordings(folder, 'anthropic/claude-sonnet-5-5', ['my-secret-key-0123456789']);
  const answer = (body: string) => ({ contentType: 'application/json', body });
  recordings.keep(request(), 0, answer('{"text":"my-secret-key-0123456789"}'));
  recordings.keep(request(), 1, answer('{"text":"second"}'));
  const again = openRecordings(folder, 'anthropic/claude-sonnet-5-5', []);
  expect(again.find(request(), 0)).toEqual(answer('{"text":"***"}'));
  expect(again.find(request(), 1)).toEqual(answer('{"text":"second"}'));
  expect(again.find(request(), 2)).toBeUndefined();
  expect(again.find(request({ ...BODY, model: 'x' }), 0)).toBeUndefined();
  const files = readdirSync(join(folder, 'anthropic--claude-sonnet-5-5'));
  expect(files).toHaveLength(1);
  const stored = readFileSync(join(folder, 'anthropic--claude-sonnet-5-5', files[0] ?? ''), 'utf8');
  expect(stored).not.toContain('my-secret-key');
  expect(recordedModels(folder)).toEqual(['anthropic/claude-sonnet-5-5']);
});

it('the model is unknown if nothing was recorded', () => {
  expect(recordedModels(join(tempDir('recorded'), 'none'))).toEqual([]);
});
