import { describe, expect, it } from '@jest/globals';
import { type ModelReply, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { blockIn, keeperToml, laptop, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

const FACT = 'The build needs two gigabytes.';
const WRITE = toolCall('memory_write', { target: 'long_term', content: FACT });
const REFUSED: ModelReply = {
  kind: 'raw',
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
};

const ENDS: readonly (readonly [string, readonly ModelReply[], Readonly<Record<string, string>>, string])[] =
  [
    ['the model refuses the next request', [WRITE, REFUSED], {}, 'failure'],
    ['it answers nothing', [WRITE, text('')], {}, 'failure'],
    ['its turns are spent', [WRITE, WRITE], { 'max-turns': '2' }, 'max-turns'],
  ];

describe('a run that wrote a note and then fails keeps the note (D16)', () => {
  it.each(ENDS)('in a workflow, when %s', async (_what, replies, inputs, conclusion) => {
    const stage = await notesStage({ model: [...replies, text('Two gigabytes.')] });
    const step = await stage.runOn('branch', { inputs });
    expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion } });
    expect(troubles(step).map(({ level }) => level)).toEqual(['error']);
    expect(step.outputs['memory-entry']).toBeUndefined();
    expect(stage.memoryOf('branch')['MEMORY.md']).toBe(`${FACT}\n`);
    expect(stage.memoryOf('branch')['keeper.md'] ?? '').not.toMatch(/^## /m);

    const next = await stage.runOn('branch');
    expect(next).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(blockIn(stage.model.prompts().at(-1)?.system ?? '')).toContain(FACT);
  });

  it('on the command line', async () => {
    const model = await startModelServer([WRITE, REFUSED]);
    const { env, cwd, memory } = laptop(model.env, keeperToml());
    const { exitCode } = await runCli(['run', 'keeper'], { env, cwd, stdin: 'What does the build need?' });
    expect(exitCode).toBe(1);
    expect(Object.entries(memory()).filter(([path]) => !path.endsWith('.state.md'))).toEqual([
      ['MEMORY.md', `${FACT}\n`],
    ]);
  });
});
