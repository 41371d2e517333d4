import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import type { ActionPublisherOptions } from '../../src/publish/publisher-options.js';
import type { Reply } from '../../src/run/dependencies.js';
import { answerLine } from '../helpers/marks.js';
import { comment, SCHEDULE } from '../helpers/triggers.js';
import { CREATE, conversation, publisherOf, RUN_URL, UPDATE } from './publisher-scene.js';

/** Answers a comment; with the comment of ours that is there already. */
async function reply(
  text: string,
  {
    trigger = comment({ commentId: 9 }),
    existing,
    among,
    ...patch
  }: Partial<ActionPublisherOptions> & {
    readonly trigger?: Trigger;
    readonly existing?: string;
    readonly among?: Reply['among'];
  } = {},
) {
  const client = conversation(existing);
  const { publisher, warnings } = publisherOf({ client, ...patch });
  const published = await publisher.reply({ trigger, agent: 'bot', text, among });
  const writes = client.requests.filter(({ route }) => route === CREATE || route === UPDATE);
  return {
    published,
    warnings,
    routes: writes.map(({ route }) => route),
    body: String(writes[0]?.params['body'] ?? ''),
  };
}

describe('the answer to a command', () => {
  it('is one comment that names its agent, and states that no model was called', async () => {
    const { published, routes, body } = await reply('Forgotten in octocat/hello@axe-memory.');
    expect(published.line).toBe('Posted a comment on #7.');
    expect(routes).toEqual([CREATE]);
    expect(body).toBe(
      `${answerLine('bot/reply-9', 'untrusted')}\nForgotten in octocat/hello@axe-memory.\n\n<sub>About the agent \`bot\` · axe-action, no model was asked · [this run](${RUN_URL})</sub>`,
    );
  });

  it('is updated when the same comment is answered again', async () => {
    const existing = `${answerLine('bot/reply-9')}\nolder`;
    expect((await reply('newer', { existing })).routes).toEqual([UPDATE]);
    const other = `${answerLine('bot/reply-8')}\nolder`;
    expect((await reply('newer', { existing: other })).routes).toEqual([CREATE]);
  });

  it('from several agents is one comment, and the agent that has the entry decides its text', async () => {
    const answered = `${answerLine('memory/reply-9')}\nNothing was done.`;
    const first = await reply('No entry.', { among: 'unless-answered' });
    expect(first.body).toContain(`${answerLine('memory/reply-9', 'untrusted')}\nNo entry.\n`);
    const second = await reply('No entry.', { among: 'unless-answered', existing: answered });
    expect([second.routes, second.published.line]).toEqual([[], 'There is an answer on #7.']);
    expect((await reply('Forgotten.', { among: 'for-all', existing: answered })).routes).toEqual([UPDATE]);
  });

  it('notifies nobody, runs nothing, reveals no secret and closes its fences (D24)', async () => {
    const entry = '- `a`: Ask @octocat, fixes #3 ![x](https://evil.example/p.png) hunter2-hunter2';
    const { body } = await reply(`Forgotten:\n\n${entry}\n/deploy\n\`\`\`ts\n@hubot`);
    expect(body).toContain('Ask <code>@octocat</code>, fixes <code>#3</code> [x]');
    expect(body).toContain('\n<code>/deploy</code>');
    expect(body).not.toMatch(/hunter2|!\[/);
    expect(body).toMatch(/```ts\n@hubot\n```\n\n<sub>About/);
  });

  it.each([
    ['if comments are off', { comment: 'never' } as const],
    ['if there is no comment to answer', { trigger: SCHEDULE, comment: 'always' } as const],
  ])('is not written %s', async (_, patch) => {
    const { published, warnings, routes } = await reply('x', patch);
    expect([published, warnings, routes]).toEqual([{ line: undefined, url: undefined }, [], []]);
  });

  it('that cannot be written is a warning', async () => {
    const { published, warnings } = await reply('x', { client: undefined });
    expect(published.url).toBeUndefined();
    expect(warnings).toMatchObject([
      {
        code: 'publish-failed',
        message: expect.stringContaining('no comment was written: there is no `github-token`'),
      },
    ]);
  });
});
