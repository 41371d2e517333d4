import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { agentToml } from './tool-scene.js';

describe('the compiled code of the command line', () => {
  it('is kept in the cache folder and changes no output', async () => {
    const env = { HOME: tempDir('home'), XDG_CACHE_HOME: tempDir('cache') };
    const first = await runCli(['help'], { env });
    const kept = filesIn(join(env.XDG_CACHE_HOME, 'axe-action'));
    const second = await runCli(['help'], { env });
    expect(kept).not.toEqual([]);
    expect(filesIn(join(env.XDG_CACHE_HOME, 'axe-action'))).toEqual(kept);
    expect(second).toEqual(first);
    expect(filesIn(env.HOME)).toEqual([]);
  });

  it('is compiled again if the cached code is damaged', async () => {
    const env = { XDG_CACHE_HOME: tempDir('cache') };
    const first = await runCli(['help'], { env });
    const kept = filesIn(env.XDG_CACHE_HOME);
    expect(kept).not.toEqual([]);
    for (const file of kept) writeFileSync(join(env.XDG_CACHE_HOME, file), 'damaged');
    expect(await runCli(['help'], { env })).toEqual(first);
  });

  it('is not kept in the folder of a run, whatever the environment says', async () => {
    const cwd = tempDir('cwd');
    const { exitCode } = await runCli(['version'], { cwd, env: { XDG_CACHE_HOME: 'cache' } });
    expect(exitCode).toBe(0);
    expect(filesIn(cwd)).toEqual([]);
  });

  it('is shared by all commands, also by `gc`', async () => {
    const model = await startModelServer([text('Fine.'), text('No pattern.'), text('Fine.')]);
    const cwd = tempDir('cwd');
    mkdirSync(join(cwd, 'axe', 'agents'), { recursive: true });
    writeFileSync(join(cwd, 'axe', 'agents', 'worker.toml'), agentToml({ memory: true }));
    const env = { ...model.env, HOME: tempDir('home'), XDG_CACHE_HOME: tempDir('cache') };
    await runCli(['run', 'worker'], { cwd, env });
    const analysed = await runCli(['gc', 'worker', '--dry-run'], { cwd, env });
    expect(analysed.stdout).toContain('No pattern.');
    const told = await runCli(['run', 'worker'], {
      cwd,
      env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    });
    expect(told.stderr).toContain('was accepted');
    expect(told.stderr).not.toContain('was rejected');
  });

  it('is not needed if nothing can be written', async () => {
    const folder = tempDir('cache');
    writeFileSync(join(folder, 'file'), '');
    const { exitCode, stderr } = await runCli(['version'], {
      env: { XDG_CACHE_HOME: join(folder, 'file') },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort();
}
