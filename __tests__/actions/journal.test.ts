import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createJournal, noteTold, readPending, wasTold } from '../../src/actions/journal.js';
import type { Change } from '../../src/axe/memory/change.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { parseFileCommand } from '../helpers/runner-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

let stateFile: string;

beforeEach(() => {
  const folder = tempDir('state');
  writeFiles(folder, { state: '' });
  stateFile = join(folder, 'state');
  setProcessEnv({ GITHUB_STATE: stateFile });
});

/** The environment the runner gives to the post step. */
function postEnv(): Readonly<Record<string, string>> {
  const state = parseFileCommand(readFileSync(stateFile, 'utf8'));
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
}

function append(id: string, text = 'An entry.\n\n'): Extract<Change, { kind: 'append' }> {
  return { kind: 'append', path: 'bot.md', id, text };
}

describe('the journal', () => {
  it('gives to the post step what main left, byte for byte', async () => {
    const changes = [append('1', 'größer\r\n"q" \\ 🙂 %0A ::error::\u2028\n'), append('2')];
    await createJournal().pending(changes);
    expect(readPending(postEnv())).toEqual(changes);
  });

  it('gives nothing once it is done', async () => {
    const journal = createJournal();
    await journal.pending([append('1')]);
    await journal.done([append('1')]);
    expect(readPending(postEnv())).toEqual([]);
  });

  it('keeps what others of the run have not saved yet (D16)', async () => {
    const journal = createJournal();
    await Promise.all([journal.pending([append('1')]), journal.pending([append('2'), append('3')])]);
    await journal.done([append('2')]);
    expect(readPending(postEnv())).toEqual([append('1'), append('3')]);
    await Promise.all([journal.done([append('1')]), journal.pending([append('4')])]);
    expect(readPending(postEnv())).toEqual([append('3'), append('4')]);
    await journal.done([append('3'), append('4')]);
    expect(readPending(postEnv())).toEqual([]);
  });

  it('keeps both entries of a tainted run, which have one id, and writes off each by itself (D19)', async () => {
    const journal = createJournal();
    const apart = { ...append('1'), path: 'untrusted/bot.md' };
    await journal.pending([append('1'), apart]);
    expect(readPending(postEnv())).toEqual([append('1'), apart]);
    await journal.done([append('1')]);
    expect(readPending(postEnv())).toEqual([apart]);
  });

  it('is not troubled by the end of what it never knew', async () => {
    const journal = createJournal();
    await journal.pending([append('1')]);
    await journal.done([append('2'), { kind: 'rewrite', path: 'bot.md', rewrite: (text) => text }]);
    expect(readPending(postEnv())).toEqual([append('1')]);
  });

  it('gives what was written last', async () => {
    const journal = createJournal();
    await journal.pending([append('1', 'before')]);
    await journal.pending([append('1', 'after')]);
    expect(readPending(postEnv())).toEqual([append('1', 'after')]);
  });

  it('leaves out what cannot be written down', async () => {
    const rewrite: Change = { kind: 'rewrite', path: 'bot.md', rewrite: (text) => text };
    await createJournal().pending([rewrite, append('1')]);
    expect(readPending(postEnv())).toEqual([append('1')]);
  });

  it('knows whether people were told', async () => {
    expect(wasTold(postEnv())).toBe(false);
    await noteTold();
    expect(wasTold(postEnv())).toBe(true);
    expect(readPending(postEnv())).toEqual([]);
  });
});

describe('what main left', () => {
  it.each([
    undefined,
    '',
    'null',
    '{}',
    '[',
    '["x"]',
    '[{"kind":"append","path":"bot.md","text":"t"}]',
    '[{"kind":"append","path":7,"text":"t","id":"1"}]',
    '[{"kind":"rewrite","path":"bot.md","text":"t","id":"1"}]',
  ])('is nothing if the state is %j', (state) => {
    expect(readPending(state === undefined ? {} : { STATE_pending: state })).toEqual([]);
  });

  it.each([undefined, '', 'false', 'TRUE'])('was not told if the state is %j', (state) => {
    expect(wasTold(state === undefined ? {} : { STATE_told: state })).toBe(false);
  });
});
