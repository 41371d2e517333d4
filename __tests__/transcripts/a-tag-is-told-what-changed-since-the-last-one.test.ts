import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { BASE, DIFF, REPO, type Stage, type StageEvent, setStage, troubles } from './stage.js';

/** Two tags, a commit apart, with the files that differ. */
async function stageWith(event: StageEvent, tags: readonly [earlier: string, tag: string]) {
  const stage = await setStage({ event, base: BASE, model: () => text('Two things are new.') });
  const { github, repo } = stage;
  const shas = ['Begin', 'Compare tokens faster'].map((name) =>
    github.commit(REPO, { ...BASE, [name]: name }),
  );
  const [from = '', to = ''] = shas;
  const [earlier, tag] = tags;
  if (earlier !== '') repo.tags.set(earlier, from);
  repo.tags.set(tag, to);
  repo.comparisons.set(`${from}...${to}`, DIFF);
  return stage;
}

function asked({ model }: Stage): string {
  return model.prompts()[0]?.messages.join('\n') ?? '';
}

function pushOf(ref: string): StageEvent {
  const payload = loadWebhook('push');
  return { name: 'push', payload: { ...payload, ref, before: '0'.repeat(40), created: true } };
}

it('a push of a tag has its name and the tag before it', async () => {
  const stage = await stageWith(pushOf('refs/tags/v1.2.0'), ['v1.1.0', 'v1.2.0']);
  const step = await stage.run({ inputs: { prompt: 'Write the notes.' } });
  expect(troubles(step)).toEqual([]);
  expect(asked(stage)).toContain('Tag: v1.2.0\n');
  expect(asked(stage)).toContain('What follows has changed since the tag before it, v1.1.0.');
  expect(asked(stage)).toContain('+  return expected == token;');
});

it('a release has its notes', async () => {
  const { release, ...payload } = loadWebhook('release', 'published') as { release: Record<string, unknown> };
  const event = {
    name: 'release',
    payload: { ...payload, release: { ...release, tag_name: 'v1.2.0', body: 'To be written.' } },
  };
  const stage = await stageWith(event, ['v1.1.0', 'v1.2.0']);
  const step = await stage.run();
  expect(step.outputs['conclusion']).toBe('success');
  expect(troubles(step)).toEqual([]);
  expect(asked(stage)).toContain('Look at the release v1.2.0');
  expect(asked(stage)).toContain('To be written.');
  expect(asked(stage)).toContain('since the tag before it, v1.1.0.');
  expect(asked(stage)).toContain('+  return expected == token;');
});

it('the first tag is described as such', async () => {
  const stage = await stageWith(pushOf('refs/tags/v1.0.0'), ['', 'v1.0.0']);
  await stage.run();
  expect(asked(stage)).toContain('No earlier tag of the same series was found, so no changes are shown.');
});

it('the branch of a push is named, even if the workflow has a prompt', async () => {
  const stage = await setStage({
    event: { name: 'push', payload: { ...loadWebhook('push'), ref: 'refs/heads/topic' } },
  });
  await stage.run({ inputs: { prompt: 'Summarise.' } });
  expect(asked(stage)).toContain('Branch: topic\n');
});

it('a deleted release starts nothing', async () => {
  const stage = await stageWith({ name: 'release', payload: loadWebhook('release', 'deleted') }, [
    '',
    'v1.0.0',
  ]);
  expect((await stage.run()).outputs).toMatchObject({
    conclusion: 'skipped',
    reason: 'subject-deleted',
  });
});
