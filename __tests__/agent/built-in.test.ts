import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS, BUILT_IN_PREFIX, FIXER } from '../../src/agent/built-in.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { checkAgentName } from '../../src/agent/loader.js';
import { TOOL_NAMES } from '../../src/run/tools.js';
import { REVIEW_TOOL_NAMES } from '../../src/tools/review/review-tools.js';

const KNOWN: readonly string[] = [
  ...TOOL_NAMES.filter((name) => name.startsWith('github_')),
  ...REVIEW_TOOL_NAMES,
];

const FIXING = ['read_file', 'list_directory', 'search_files', 'write_file', 'edit_file', 'delete_file'];

describe('the built-in agents', () => {
  it('are a reviewer, a triager, one that answers and one that fixes (D4)', () => {
    expect(BUILT_IN_AGENTS.map(({ name }) => name)).toEqual([
      'builtin/pr-reviewer',
      'builtin/triage',
      'builtin/ask',
      'builtin/fix',
    ]);
  });

  it.each(BUILT_IN_AGENTS.map((agent) => [agent.name, agent] as const))(
    '%s is a valid agent with memory and without unknown keys',
    (name, agent) => {
      const { config, warnings } = parseAgent(agent.toml, { name, file: name });
      expect(warnings).toEqual([]);
      expect(config).toMatchObject({
        name: agent.shortName,
        model: 'anthropic/claude-sonnet-5-5',
        memory: { enabled: true, path: '', lastN: 10, maxEntries: 200 },
      });
      expect(config.description).not.toBe('');
      expect(`${BUILT_IN_PREFIX}${checkAgentName(agent.shortName)}`).toBe(name);
    },
  );

  it.each(BUILT_IN_AGENTS.map(({ name, toml }) => [name, toml]))(
    '%s has the instructions that other people’s text is data, and to use its memory',
    (name, toml) => {
      const { systemPrompt } = parseAgent(toml, { name, file: name }).config;
      expect(systemPrompt).toMatch(/other people/);
      expect(systemPrompt).toMatch(/never (an )?instructions? to you/);
      expect(systemPrompt).toMatch(/Your memory holds/);
      expect(systemPrompt).not.toContain('\\');
    },
  );

  it.each(BUILT_IN_AGENTS.map(({ name, toml }) => [name, toml]))(
    '%s lists existing tools, and only the one that fixes things has those that write',
    (name, toml) => {
      const { tools } = parseAgent(toml, { name, file: name }).config;
      const known = name === FIXER ? [...KNOWN, ...FIXING] : KNOWN;
      expect(tools.filter((tool) => !known.includes(tool))).toEqual([]);
      if (name !== FIXER) expect(tools).toEqual(expect.arrayContaining(['github_search', 'github_file']));
    },
  );
});
