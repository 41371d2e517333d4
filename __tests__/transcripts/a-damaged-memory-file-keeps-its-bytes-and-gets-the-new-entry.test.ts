import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { scheduledStep } from './memory-scene.js';

const WHOLE = '## 2026-01-02T03:04:05Z\n**Task:** Say what is new.\n**Result:** All is well: größer ✓.\n\n';
const CUT = Buffer.from(`${WHOLE}## 2026-01-03T03:04:05Z\n**Task:** Say what is new.\n**Result:** ✓`);

/** A file as something left it, what the model makes out of it, and the bytes that have to go before the entry. */
const DAMAGED: readonly (readonly [string, Buffer, string, string])[] = [
  ['an entry cut in the middle of a line', CUT.subarray(0, -20), '**Task:** Say what is new.\n**Re', '\n'],
  ['no line break at the end', CUT, '**Result:** ✓', '\n'],
  ['a character cut in two', CUT.subarray(0, -1), '**Result:** \u{FFFD}', '\n'],
  ['a heading alone', Buffer.from(`${WHOLE}## `), '**Result:** All is well: größer ✓.', '\n'],
  ['zero bytes a crash left', Buffer.from(`${WHOLE}\0\0\0\n`), '**Result:** All is well: größer ✓.', ''],
  [
    'a byte order mark and Windows line ends',
    Buffer.from(`\u{FEFF}# Notes\r\n\r\n${WHOLE}`),
    '**Result:** All is well: größer ✓.',
    '',
  ],
  ['no entry at all', Buffer.from('Remember the milk.\n'), '', ''],
];

describe('a memory file with', () => {
  it.each(DAMAGED)('%s', async (_, bytes, known, between) => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, { '.axe/memory/ask.md': bytes });
    const model = await startModelServer([text('It rains.'), text('It still rains.')]);
    const step = await runMain(scheduledStep({ model }, { workspace, inputs: { 'memory-store': 'file' } }));

    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs['memory-saved']).toBe('true');
    expect(model.prompts()[0]?.system).toContain(known);
    const after = readFileSync(join(workspace, '.axe/memory/ask.md'));
    expect(after.subarray(0, bytes.length)).toEqual(bytes);
    expect(after.subarray(bytes.length).toString()).toBe(between + step.outputs['memory-entry']);

    await runMain(scheduledStep({ model }, { workspace, inputs: { 'memory-store': 'file' } }));
    expect(model.prompts()[1]?.system).toContain('**Result:** It rains.');
  });
});
