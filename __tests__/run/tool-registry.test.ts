import { describe, expect, it } from '@jest/globals';
import { createGitHubReader } from '../../src/github/reading/reader.js';
import { createTools, TOOL_NAMES, type ToolParts } from '../../src/run/tool-registry.js';
import { createFakeGitHubClient } from '../helpers/github-client-fake.js';
import { pullRequest } from '../helpers/triggers.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { createTestWorkspace } from '../tools/workspace-scene.js';

const never = async () => {
  throw new Error('not in this test');
};
const ports: ToolParts = {
  workspace: createTestWorkspace({}),
  env: {},
  shell: never,
  fetch: never,
  clock: createFakeClock(),
  workdir: '/work',
  allowedHosts: [],
  github: createGitHubReader(createFakeGitHubClient({}), pullRequest()),
};

describe('the tools', () => {
  it('have the names and effects that agents and workflows use (D22)', () => {
    const { tools } = createTools(TOOL_NAMES, ports);
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['list_directory', 'read'],
      ['read_file', 'read'],
      ['search_files', 'read'],
      ['write_file', 'write'],
      ['edit_file', 'write'],
      ['delete_file', 'write'],
      ['run_command', 'execute'],
      ['url_fetch', 'network'],
      ['web_search', 'network'],
      ['github_diff', 'read'],
      ['github_file', 'read'],
      ['github_comments', 'read'],
      ['github_checks', 'read'],
      ['github_history', 'read'],
      ['github_search', 'read'],
    ]);
  });

  it("have axe's argument names, if axe has them", () => {
    const { tools } = createTools(TOOL_NAMES, ports);
    const names = tools.map(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties ?? {})]);
    expect(names).toEqual([
      ['list_directory', 'path'],
      ['read_file', 'path', 'offset', 'limit'],
      ['search_files', 'text', 'glob', 'path', 'ignore_case'],
      ['write_file', 'path', 'content'],
      ['edit_file', 'path', 'old_string', 'new_string', 'replace_all'],
      ['delete_file', 'path'],
      ['run_command', 'command'],
      ['url_fetch', 'url'],
      ['web_search', 'query'],
      ['github_diff', 'path', 'offset'],
      ['github_file', 'path', 'ref', 'offset', 'limit'],
      ['github_comments', 'number', 'offset'],
      ['github_checks', 'name', 'log_lines'],
      ['github_history', 'path', 'ref', 'limit', 'page'],
      ['github_search', 'query', 'kind'],
    ]);
  });

  it('are listed once each and in one order, however the agent lists them', () => {
    const names = (list: readonly string[]) => createTools(list, ports).tools.map(({ name }) => name);
    expect(names(['url_fetch', 'read_file', 'url_fetch'])).toEqual(['read_file', 'url_fetch']);
    expect(names(['read_file', 'url_fetch'])).toEqual(['read_file', 'url_fetch']);
    expect(names([])).toEqual([]);
  });

  it('are sent with the same bytes every time', () => {
    const bytes = () => JSON.stringify(createTools([...TOOL_NAMES].reverse(), ports).tools);
    expect(bytes()).toBe(bytes());
  });

  it('that read on GitHub are absent without an event', () => {
    const { github: _, ...local } = ports;
    const { tools, absent } = createTools(['github_search', 'read_file', 'github_file'], local);
    expect(tools.map(({ name }) => name)).toEqual(['read_file']);
    expect(absent).toEqual(['github_file', 'github_search']);
  });
});
