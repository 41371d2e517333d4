import { expect, it } from '@jest/globals';
import { SUMMARY_REQUEST } from '../../src/loop/compact.js';
import { type ModelReply, promptOf, text } from '../helpers/model-server.js';
import { nameOf } from './memory-command-scene.js';
import { keeperToml, notesStage, placesOf, type Store } from './notes-scene.js';
import { troubles } from './stage.js';

const SUMMARY = 'Read src/auth.ts: sessions last 12 hours.\nStill open: why.';
const TURNS = 8;

/** A turn of somebody who has a lot to say; what it is said to cost is nearly the whole window. */
const LONG: ModelReply = {
  kind: 'tools',
  text: 'I look further. '.repeat(200),
  calls: [{ name: 'memory_search', input: { query: 'session' } }],
  usage: { inputTokens: 195_000, outputTokens: 900 },
};

async function longRun(store: Store, ending: ModelReply) {
  let turns = 0;
  const stage = await notesStage({
    toml: keeperToml({ memory: 'daily = "recent"\n' }),
    model(request) {
      const { messages } = promptOf(request);
      if (messages.some((message) => message.includes(SUMMARY_REQUEST.slice(0, 60)))) return text(SUMMARY);
      turns += 1;
      return turns <= TURNS ? LONG : ending;
    },
  });
  const step = await stage.runOn(store);
  return { stage, step, today: stage.memoryOf(store)[placesOf(nameOf(stage)).today] ?? '' };
}

const SECTION =
  /^\n### \d\d:\d\d — compaction summary \(\d+ msgs\)\nRead src\/auth\.ts: sessions last 12 hours\.\nStill open: why\.\n/;

it.each(['branch', 'cache', 'file'] as const)(
  'a summary is stored with its time and the number of messages, on the store %s',
  async (store) => {
    const { stage, step, today } = await longRun(store, text('Twelve hours.'));
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
    expect(today).toMatch(SECTION);
    expect(stage.model.prompts().at(-1)?.messages.join('\n')).toContain(
      '<summary-of-earlier-turns>\nRead src/auth.ts',
    );
  },
);

it('a summary is stored even if the run fails afterwards', async () => {
  const { step, today } = await longRun('branch', { kind: 'raw', status: 400, body: {} });
  expect(step.exitCode).toBe(1);
  expect(today).toMatch(SECTION);
});
