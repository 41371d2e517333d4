import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseEvent, readTrigger } from '../../src/event/parse-event.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadExamples, loadWebhook } from '../helpers/webhooks.js';

/** Reads a trigger from an event file with this content. */
async function read(
  content: string | object,
  { name = '', env = {} }: { name?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const folder = tempDir('event');
  writeFiles(folder, {
    'event.json': typeof content === 'string' ? content : JSON.stringify(content),
  });
  return await readTrigger({ file: join(folder, 'event.json'), name, env });
}

it('an event without a name is identified by its payload for every example of GitHub’s, and is unknown or what its name says', async () => {
  const payloads = loadExamples().flatMap(({ name, examples }) =>
    examples.map((payload) => ({ name, payload })),
  );
  expect(payloads.length).toBeGreaterThan(200);
  const differing: string[] = [];
  for (const { name, payload } of payloads) {
    const guessed = await read(payload);
    const named = parseEvent(name, payload, {});
    const isSame = JSON.stringify(guessed) === JSON.stringify(named);
    const isBothUnknown = guessed.kind === 'unknown' && named.kind === 'unknown';
    if (!isSame && !isBothUnknown)
      differing.push(`${name}: ${named.kind} taken for ${guessed.kind}`);
  }
  expect(differing).toEqual([]);
});

it.each(['null', '7', '"text"', '[]'])(
  'an event without a name is refused if it is %s',
  async (content) => {
    await expect(read(content)).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the payload of the event `unknown` is not a JSON object',
    });
  },
);

it('an event with a name is what the name says, whatever the payload looks like', async () => {
  const payload = loadWebhook('pull_request', 'opened');
  expect(await read(payload, { name: 'pull_request_target' })).toMatchObject({
    kind: 'pull_request',
    event: 'pull_request_target',
  });
  expect(await read(payload, { name: 'watch' })).toMatchObject({ kind: 'unknown', event: 'watch' });
  expect(await read(payload, { name: 'issues' })).toMatchObject({
    kind: 'unknown',
    event: 'issues',
  });
});

it('of a schedule has from the environment what its payload lacks, which others do not need', async () => {
  const env = {
    GITHUB_REPOSITORY: 'octocat/hello',
    GITHUB_ACTOR: 'octocat',
    GITHUB_REF: 'refs/heads/trunk',
  };
  const schedule = { schedule: '0 4 * * 1' };
  const named = async (
    payload: object,
    name: string,
    patch: Readonly<Record<string, string>> = {},
  ) => {
    const trigger = await read(payload, { name, env: { ...env, ...patch } });
    return trigger.kind === 'local'
      ? []
      : [trigger.repository.owner, trigger.repository.defaultBranch];
  };
  expect(await named(schedule, 'schedule')).toEqual(['octocat', 'trunk']);
  expect(await named(schedule, 'schedule', { GITHUB_REF: 'refs/tags/v1' })).toEqual([
    'octocat',
    '',
  ]);
  expect(await named(schedule, 'schedule', { GITHUB_REPOSITORY: '' })).toEqual(['', 'trunk']);
  expect(await named(loadWebhook('push'), 'push')).toEqual(['Codertocat', 'master']);
});
