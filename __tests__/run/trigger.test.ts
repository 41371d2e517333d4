import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseEvent, readTrigger } from '../../src/event/parse-event.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, type Payload } from '../helpers/webhooks.js';

/** Reads a trigger from an event file with this content. */
async function read(
  content: string | object,
  { name = '', env = {} }: { name?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const folder = tempDir('event');
  writeFiles(folder, { 'event.json': typeof content === 'string' ? content : JSON.stringify(content) });
  return await readTrigger({ file: join(folder, 'event.json'), name, env });
}

/** Every example payload there is, with the name of its event. */
function allPayloads(): readonly (readonly [string, Payload])[] {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  const events = JSON.parse(readFileSync(file, 'utf8')) as readonly { name: string; examples: Payload[] }[];
  return events.flatMap(({ name, examples }) => examples.map((payload) => [name, payload] as const));
}

describe('an event without a name', () => {
  it('is identified by its payload for every example of GitHub’s, and is unknown or what its name says', async () => {
    const payloads = allPayloads();
    expect(payloads.length).toBeGreaterThan(200);
    const differing: string[] = [];
    for (const [name, payload] of payloads) {
      const guessed = await read(payload);
      const named = parseEvent(name, payload, {});
      const isSame = JSON.stringify(guessed) === JSON.stringify(named);
      const isBothUnknown = guessed.kind === 'unknown' && named.kind === 'unknown';
      if (!isSame && !isBothUnknown) differing.push(`${name}: ${named.kind} taken for ${guessed.kind}`);
    }
    expect(differing).toEqual([]);
  });

  it.each(['null', '7', '"text"', '[]'])('is refused if it is %s', async (content) => {
    await expect(read(content)).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the payload of the event `unknown` is not a JSON object',
    });
  });
});

describe('an event with a name', () => {
  it('is what the name says, whatever the payload looks like', async () => {
    const payload = loadWebhook('pull_request', 'opened');
    expect(await read(payload, { name: 'pull_request_target' })).toMatchObject({
      kind: 'pull_request',
      event: 'pull_request_target',
    });
    expect(await read(payload, { name: 'watch' })).toMatchObject({ kind: 'unknown', event: 'watch' });
    expect(await read(payload, { name: 'issues' })).toMatchObject({ kind: 'unknown', event: 'issues' });
  });
});

describe('the runner’s environment', () => {
  const ENV = { GITHUB_REPOSITORY: 'octocat/hello', GITHUB_ACTOR: 'octocat' };

  it('fills in what a schedule lacks', async () => {
    expect(await read({ schedule: '0 4 * * 1' }, { name: 'schedule', env: ENV })).toMatchObject({
      repository: { owner: 'octocat', name: 'hello' },
      actor: { login: 'octocat', isBot: false },
    });
  });

  it('names the default branch of a schedule, which runs nowhere else', async () => {
    const env = { ...ENV, GITHUB_REF: 'refs/heads/trunk' };
    const repository = { owner: 'octocat', name: 'hello', defaultBranch: 'trunk', isPrivate: true };
    expect(await read({ schedule: '0 4 * * 1' }, { name: 'schedule', env })).toMatchObject({ repository });
    expect(await read(loadWebhook('push'), { name: 'push', env })).toMatchObject({
      repository: { defaultBranch: 'master' },
    });
    const tag = { ...ENV, GITHUB_REF: 'refs/tags/v1' };
    expect(await read({ schedule: '0 4 * * 1' }, { name: 'schedule', env: tag })).toMatchObject({
      repository: { defaultBranch: '' },
    });
  });

  it.each<Record<string, string>>([{}, { GITHUB_REPOSITORY: '', GITHUB_ACTOR: '' }])(
    'can be empty: %j',
    async (env) => {
      expect(await read({ schedule: '0 4 * * 1' }, { name: 'schedule', env })).toMatchObject({
        repository: { owner: '', name: '' },
        actor: { login: 'ghost' },
      });
    },
  );

  it('does not replace what the event says', async () => {
    expect(await read(loadWebhook('issues'), { name: 'issues', env: ENV })).toMatchObject({
      repository: { owner: 'Codertocat' },
      actor: { login: 'Codertocat' },
    });
  });
});
