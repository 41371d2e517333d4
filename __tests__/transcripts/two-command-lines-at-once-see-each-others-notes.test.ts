import { expect, it } from '@jest/globals';
import { promptOf, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { laptop, newResults, placesOf } from './notes-scene.js';

/** Resolves when it is opened. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

it('both keep their notes, and neither removes a line of the other', async () => {
  const written = gate();
  const model = await startModelServer(async (request) => {
    const { messages } = promptOf(request);
    const turn = messages.filter((message) => message.startsWith('assistant:')).length;
    const isFirst = messages[0]?.includes('north') === true;
    const fact = (side: string) =>
      toolCall('memory_write', { target: 'long_term', content: `Nothing in the ${side}.` });
    if (!isFirst) {
      if (turn === 0) return fact('south');
      written.open();
      return text('South is done.');
    }
    // This one had begun before the other wrote anything.
    if (turn === 0) await written.opened;
    if (turn === 0) return toolCall('memory_search', { query: 'south' });
    if (turn === 1) return fact('north');
    return text('North is done.');
  });
  const { env, cwd, memory } = laptop(model.env);
  const runs = await Promise.all(
    ['Look north.', 'Look south.'].map((stdin) => runCli(['run', 'keeper'], { env, cwd, stdin })),
  );
  for (const { exitCode, stderr } of runs) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(memory()['MEMORY.md']).toBe('Nothing in the south.\nNothing in the north.\n');
  const results = model.requests().flatMap(newResults);
  expect(results).toContainEqual(
    expect.stringMatching(
      /^Searched 1 term: south[\s\S]*MEMORY\.md {2}\[matched: south\]\nNothing in the south\.\n/,
    ),
  );
});

it('notes belong to the project of each working directory, with one long-term memory', async () => {
  const model = await startModelServer((request) => {
    const { messages } = promptOf(request);
    if (messages.some((message) => message.startsWith('assistant:'))) return text('Done.');
    const where = messages[0]?.includes('north') === true ? 'north' : 'south';
    return {
      kind: 'tools',
      calls: [
        { name: 'memory_write', input: { target: 'long_term', content: `Seen the ${where}.` } },
        { name: 'memory_write', input: { target: 'scratchpad', content: `- [ ] Go ${where}` } },
      ],
    };
  });
  const north = laptop(model.env);
  const south = laptop(model.env);
  await runCli(['run', 'keeper'], { env: north.env, cwd: north.cwd, stdin: 'Look north.' });
  await runCli(['run', 'keeper'], { env: north.env, cwd: south.cwd, stdin: 'Look south.' });
  expect(north.memory()).toMatchObject({
    'MEMORY.md': 'Seen the north.\nSeen the south.\n',
    [placesOf(north.cwd).scratchpad]: '- [ ] Go north\n',
    [placesOf(south.cwd).scratchpad]: '- [ ] Go south\n',
  });
  expect(model.prompts()[2]?.system).toContain('Seen the north.');
  expect(model.prompts()[2]?.system).not.toContain('Go north');
});
