import { expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS, BUILT_IN_PREFIX, FIXER } from '../../src/agent/built-in.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { checkAgentName } from '../../src/agent/loader.js';
import { TOOL_NAMES } from '../../src/run/tools.js';
import { REVIEW_TOOL_NAMES } from '../../src/tools/findings/review-tools.js';

const KNOWN: readonly string[] = [
  ...TOOL_NAMES.filter((name) => name.startsWith('github_')),
  ...REVIEW_TOOL_NAMES,
];

const FIXING = [
  'read_file',
  'list_directory',
  'search_files',
  'write_file',
  'edit_file',
  'delete_file',
];

it('the built-in agents are a reviewer, a triager, one that answers and one that fixes (D4)', () => {
  expect(BUILT_IN_AGENTS.map(({ name }) => name)).toEqual([
    'builtin/pr-reviewer',
    'builtin/triage',
    'builtin/ask',
    'builtin/fix',
  ]);
});

it.each(BUILT_IN_AGENTS)(
  'the built-in agents $name is a valid agent with memory, without unknown keys',
  ({ name, shortName, toml }) => {
    const { config, warnings } = parseAgent(toml, { name, file: name });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      name: shortName,
      model: 'anthropic/claude-sonnet-5-5',
      memory: { enabled: true, path: '', hasLastN: false, maxEntries: 200 },
    });
    expect(config.description).not.toBe('');
    expect(`${BUILT_IN_PREFIX}${checkAgentName(shortName)}`).toBe(name);
  },
);

it.each(BUILT_IN_AGENTS)(
  'the built-in agents $name is told that other people’s text is data, and has existing tools; only the one that fixes can write',
  ({ name, toml }) => {
    const { systemPrompt, tools } = parseAgent(toml, { name, file: name }).config;
    expect(systemPrompt).toMatch(/other people/);
    expect(systemPrompt).toMatch(/never (an )?instructions? to you/);
    expect(systemPrompt).toMatch(/Your memory holds/);
    expect(systemPrompt).not.toContain('\\');
    const known = name === FIXER ? [...KNOWN, ...FIXING] : KNOWN;
    expect(tools.filter((tool) => !known.includes(tool))).toEqual([]);
    if (name !== FIXER)
      expect(tools).toEqual(expect.arrayContaining(['github_search', 'github_file']));
  },
);
