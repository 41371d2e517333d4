import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';

describe('a pipe that nobody closes', () => {
  it('ends with exit status 3 at `--timeout`, before a model is called', async () => {
    const data = tempDir('data');
    const model = await startModelServer([text('never')]);
    const result = await runCli(['run', 'builtin/ask', '--timeout', '1'], {
      stdin: { kind: 'pipe-open' },
      env: { ...model.env, XDG_DATA_HOME: data },
    });
    expect(result).toMatchObject({ exitCode: 3, signal: null, stdout: '' });
    expect(result.stderr).toBe('timeout: context deadline exceeded\n');
    expect(model.requests()).toEqual([]);
    expect(existsSync(join(data, 'axe'))).toBe(false);
  });

  it('blocks nobody if an event determines the task', async () => {
    const model = await startModelServer([text('Nothing is new.')]);
    const cwd = tempDir('cwd');
    writeFiles(cwd, { 'event.json': JSON.stringify(schedulePayload('0 6 * * 1')) });
    const result = await runCli(['run', 'builtin/ask', '--event', 'event.json'], {
      cwd,
      stdin: { kind: 'pipe-open' },
      env: model.env,
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Nothing is new.', stderr: '' });
  });
});
