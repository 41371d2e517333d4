import { expect, it } from '@jest/globals';
import type { ToolParts } from '../../src/run/built-in-tools.js';
import { createTools, TOOL_NAMES } from '../../src/run/tools.js';
import { createCommitSources } from '../../src/tools/github/commit-files.js';
import { createGitHubReader } from '../../src/tools/github/reader.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../helpers/github-client-fake.js';
import { pullRequest } from '../helpers/triggers.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { createTestWorkspace } from '../tools/workspace-scene.js';

const never = () => Promise.reject(new Error('not in this test'));
const ports: ToolParts = {
  workspace: createTestWorkspace({}),
  env: {},
  shell: never,
  fetch: never,
  clock: createFakeClock(),
  workdir: '/work',
  allowedHosts: [],
  secrets: [],
  github: createGitHubReader(createFakeGitHubClient({}), pullRequest()),
  sourceAt: createCommitSources(createFakeGitHubClient({}), HELLO, noAbort()),
};

it("the tools have the names and effects that agents and workflows use (D22), and axe's arguments if axe has them", async () => {
  const { tools } = await createTools(TOOL_NAMES, ports);
  const made = tools.map(({ name, effect, inputSchema: { properties = {} } }) => [
    name,
    effect,
    Object.keys(properties).join(' '),
  ]);
  expect(made).toEqual([
    ['list_directory', 'read', 'path'],
    ['read_file', 'read', 'path offset limit'],
    ['search_files', 'read', 'text glob path ignore_case'],
    ['write_file', 'write', 'path content'],
    ['edit_file', 'write', 'path old_string new_string replace_all'],
    ['delete_file', 'write', 'path'],
    ['run_command', 'execute', 'command'],
    ['url_fetch', 'network', 'url'],
    ['web_search', 'network', 'query'],
    ['github_diff', 'read', 'path offset'],
    ['github_file', 'read', 'path ref offset limit'],
    ['github_comments', 'read', 'number offset'],
    ['github_checks', 'read', 'name'],
    ['github_history', 'read', 'path ref page'],
    ['github_search', 'read', 'text glob ref ignore_case'],
    ['github_issues', 'read', 'query kind'],
  ]);
});

it('the tools that read on GitHub are absent without an event', async () => {
  const { github: _, ...local } = ports;
  const { tools, absent } = await createTools(['github_search', 'read_file', 'github_file'], local);
  expect(tools.map(({ name }) => name)).toEqual(['read_file']);
  expect(absent).toEqual(['github_file', 'github_search']);
});
