import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { createClock } from '../../src/lib/clock.js';
import type { ToolParts } from '../../src/run/built-in-tools.js';
import { createTools, TOOL_NAMES } from '../../src/run/tools.js';
import type { ToolResult } from '../../src/tools/tool.js';
import { createWorkspace, type Workspace } from '../../src/tools/workspace/workspace.js';
import { writeFiles } from '../helpers/temp.js';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A workspace of its own with these files, until the end of all tests of a file. */
export function createTestWorkspace(files: Readonly<Record<string, string | Uint8Array>>) {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'axe-action-files-'));
  folders.push(root);
  writeFiles(root, files);
  const workspace = createWorkspace(root, { denied: [], readOnly: [] });
  return {
    ...workspace,
    text: (path: string) =>
      existsSync(join(root, path))
        ? new TextDecoder().decode(readFileSync(join(root, path)))
        : undefined,
  };
}

/** The signal of a call that nobody aborts. */
export const quiet: AbortSignal = new AbortController().signal;

/** Calls the tools of a run over a workspace. */
export function toolsOver(workspace: Workspace, parts: Partial<ToolParts> = {}) {
  const opening = createTools(TOOL_NAMES, {
    workspace,
    env: {},
    shell: () => Promise.reject(new Error('no commands here')),
    fetch: () => Promise.reject(new Error('no network here')),
    clock: createClock(),
    workdir: '/work',
    allowedHosts: [],
    secrets: [],
    ...parts,
  });
  return async (name: string, input: object): Promise<ToolResult> => {
    const { tools } = await opening;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return await tool.execute(input, quiet);
  };
}
