import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runMemoryMode } from '../../src/actions/run-mode.js';
import { decodeBytes } from '../../src/core/text/bytes.js';
import type { RunRequest } from '../../src/run/request.js';
import { createFakeMemory, entry } from '../commands/memory/memory-scene.js';
import { createFakeDependencies, type FakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { WRITER } from '../helpers/reports.js';
import { tempDir } from '../helpers/temp.js';
import { comment, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const A = entry(1, { id: 'aaaaaa-1', result: 'Ümlaut \uDC80' });
const B = entry(2, { id: 'bbbbbb-1' });
const STRANGE = entry(3, { id: 'cccccc-1' });
const LOGS = { 'bot.md': A + B, 'untrusted/bot.md': STRANGE };

interface Mode {
  readonly deps?: FakeDependencies;
  readonly workspace?: string;
  readonly request?: Partial<RunRequest>;
}

async function run(
  command: string,
  { deps = depsWith(), workspace = tempDir('workspace'), request }: Mode = {},
) {
  const report = await runMemoryMode(
    { command, request: makeRequest({ trigger: SCHEDULE, inWorkflow: true, ...request }), workspace },
    deps,
  );
  return { report, workspace };
}

function depsWith(): FakeDependencies {
  const memory = createFakeMemory(LOGS);
  return { ...createFakeDependencies({ permissions: WRITER }), openMemory: () => memory };
}

describe('`mode: memory`', () => {
  it('does what the input says, for every event', async () => {
    for (const trigger of [SCHEDULE, pullRequest(), comment({ body: '/axe forget bbbbbb-1' })]) {
      const deps = depsWith();
      const { report } = await run('forget "aaaaaa-1"', { deps, request: { trigger } });
      expect(report).toMatchObject({
        kind: 'memory-command',
        command: 'forget',
        requestedIn: 'workflow',
        result: { kind: 'done', changed: true, text: expect.stringContaining('aaaaaa-1') },
      });
      expect(deps.replies).toEqual([]);
    }
  });

  it('does nothing on an event that starts no run', async () => {
    const { report } = await run('forget aaaaaa-1', { request: { trigger: pullRequest({ isFork: true }) } });
    expect(report).toMatchObject({ kind: 'skipped', decision: { reason: 'fork' } });
  });

  it('exports to the output `response`', async () => {
    const { report, workspace } = await run('export');
    expect(report).toMatchObject({ result: { kind: 'done', text: (A + B).toWellFormed(), changed: false } });
    expect(existsSync(join(workspace, '-'))).toBe(false);
  });

  it('exports every byte to files of the workspace and creates missing folders', async () => {
    const { report, workspace } = await run('export --out kept/memory.md');
    expect(report).toMatchObject({ result: { text: 'Exported 2 entries to kept/memory.md.' } });
    expect(decodeBytes(readFileSync(join(workspace, 'kept/memory.md')))).toBe(A + B);
    await run('export --lane untrusted --out kept/memory.md', { workspace });
    expect(readFileSync(join(workspace, 'kept/memory.md'), 'utf8')).toBe(STRANGE);

    await run('export --all --out all', { workspace });
    expect(decodeBytes(readFileSync(join(workspace, 'all/bot.md')))).toBe(A + B);
    expect(readFileSync(join(workspace, 'all/untrusted/bot.md'), 'utf8')).toBe(STRANGE);
    expect((await run('export --all')).report).toMatchObject({
      result: { kind: 'failed', reason: 'refused' },
    });
  });

  it('imports a file of the workspace', async () => {
    const workspace = tempDir('workspace');
    writeFileSync(join(workspace, 'more.md'), B + entry(4, { id: 'dddddd-1' }));
    const { report } = await run('import more.md', { workspace });
    expect(report).toMatchObject({
      result: { changed: true, text: expect.stringMatching(/^Imported 1 entry; 1 was there already\./) },
    });
  });

  it.each([
    '../memory.md',
    '/etc/hostname',
    'a/../../memory.md',
    '.',
    '.git/config',
    'sub/.GIT/hooks/x',
    'link/memory.md',
    'sub/../link/a/b.md',
  ])('accepts only paths inside the workspace: %s', async (path) => {
    const workspace = tempDir('workspace');
    const elsewhere = tempDir('elsewhere');
    writeFileSync(join(elsewhere, 'memory.md'), B);
    symlinkSync(elsewhere, join(workspace, 'link'));
    const message = expect.stringMatching(/ is not a path inside the workspace$/);
    const remedy = 'Name a file of the workspace, for example `memory.md`.';
    const commands = [
      `export --out ${path}`,
      `import ${path}`,
      ...(path === '.' ? [] : [`export --all --out ${path}`]),
    ];
    for (const command of commands) {
      const { report } = await run(command, { workspace });
      expect([command, report]).toMatchObject([
        command,
        { result: { kind: 'failed', reason: 'refused', message, remedy } },
      ]);
    }
    expect(readFileSync(join(elsewhere, 'memory.md'), 'utf8')).toBe(B);
  });

  it('exports no folder through a link', async () => {
    const workspace = tempDir('workspace');
    mkdirSync(join(workspace, 'all'));
    const elsewhere = tempDir('elsewhere');
    symlinkSync(elsewhere, join(workspace, 'all/untrusted'));
    const { report } = await run('export --all --out all', { workspace });
    expect(report).toMatchObject({
      result: { kind: 'failed', message: '"all/untrusted/bot.md" is not a path inside the workspace' },
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ['import missing.md', 'a file that is not there', /missing\.md: no such file or directory/],
    ['import folder', 'a folder', /folder/],
    ['import link.md', 'a link', /link\.md/],
    ['export --out folder', 'a folder in its place', /folder: is a directory/],
  ])('reports why a command fails: %s, of %s', async (command, _, told) => {
    const workspace = tempDir('workspace');
    mkdirSync(join(workspace, 'folder'));
    const outside = join(tempDir('outside'), 'memory.md');
    writeFileSync(outside, B);
    symlinkSync(outside, join(workspace, 'link.md'));
    const { report } = await run(command, { workspace });
    expect(report).toMatchObject({
      result: { kind: 'failed', reason: 'refused', changed: false, message: expect.stringMatching(told) },
    });
  });

  it('reports an unknown command as a mistake in the workflow', async () => {
    await expect(run('bogus')).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the input `memory-command`: unknown memory command "bogus"',
    });
    await expect(run('search "open')).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the input `memory-command`: a quotation mark is not closed: "open',
    });
  });
});
