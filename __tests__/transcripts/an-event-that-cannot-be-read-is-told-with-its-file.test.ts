import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { setStage } from './stage.js';

const EVENTS: readonly (readonly [string, string | undefined, RegExp])[] = [
  [
    'is not JSON',
    '{"action": "opened",\n  pull_request}',
    /^the event file is not valid JSON: .*event\.json/s,
  ],
  ['ends in the middle', '{"action": ', /^the event file is not valid JSON: /],
  ['is empty', '', /^the event file is not valid JSON: /],
  ['is no object', '[]', /^the payload of the event `pull_request` is not a JSON object/],
  ['does not exist', undefined, /^cannot read the event file .*event\.json: no such file/],
];

it.each(EVENTS)('the step fails with one annotation if the event file %s', async (_, content, message) => {
  const stage = await setStage();
  const folder = tempDir('event');
  if (content !== undefined) writeFiles(folder, { 'event.json': content });
  const step = await stage.run({ env: { GITHUB_EVENT_PATH: join(folder, 'event.json') } });
  expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion: 'failure' } });
  expect(step.annotations).toMatchObject([{ level: 'error', message: expect.stringMatching(message) }]);
  expect(step.annotations[0]?.message).toMatch(/\n {2}[A-Z].*\.$/);
  expect(stage.model.requests()).toEqual([]);
  expect(stage.github.requests()).toEqual([]);
});

it('the error states where the file belongs if there is no event at all', async () => {
  const stage = await setStage();
  const step = await stage.run({ env: { GITHUB_EVENT_PATH: '' } });
  expect(step.exitCode).toBe(1);
  expect(step.annotations.map(({ message }) => message)).toEqual([
    'there is no event: `GITHUB_EVENT_PATH` is not set\n' +
      '  This program is started by the runner of a workflow. Elsewhere use the command line, `axe-action run`.',
  ]);
});

it('the step ends neutral on an unknown event', async () => {
  const stage = await setStage({ event: { name: 'watch', action: 'started' } });
  const step = await stage.run();
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'skipped', reason: 'unknown-event' },
  });
  expect(step.annotations).toMatchObject([
    { level: 'notice', message: expect.stringContaining('`watch` (started)') },
  ]);
});
