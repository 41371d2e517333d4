import { describe, expect, it } from '@jest/globals';
import { validatedLines, validatedSummary } from '../../../src/actions/summary/format-validated.js';
import { inspectAgent } from '../../../src/axe/agent/inspect.js';
import type { CheckedAgent } from '../../../src/pipeline/validate/validation.js';

const TEXT = `name = "a"
model = "anthropic/claude|x"
tools = ["read_file", "search_files"]
sub_agents = ["helper"]

[[mcp_servers]]
name = "files"
transport = "stdio"
command = "npx"

[memory]
enabled = true
notes = true
`;

function agent(name: string, faults: CheckedAgent['faults'] = [], text = TEXT): CheckedAgent {
  const file = `axe/agents/${name}.toml`;
  const { raw } = inspectAgent(text, { name, file });
  return { name, file, raw, callsAt: { file }, faults };
}

function validated(...agents: readonly CheckedAgent[]) {
  return { kind: 'validated', validation: { where: 'octocat/hello@1234567', agents } } as const;
}

const BROKEN = agent(
  'broken',
  [
    {
      severity: 'error',
      message: 'It is\nwrong.',
      remedy: 'Mend it.',
      at: { file: 'axe/agents/broken.toml', line: 1 },
    },
    { severity: 'warning', message: 'It is odd.', remedy: '', at: { file: 'axe/agents/broken.toml' } },
  ],
  'name = \n',
);

describe('the summary of a look at agents', () => {
  it('has a row for each agent and lists what is wrong', () => {
    expect(validatedSummary(validated(agent('a'), BROKEN))).toBe(`### axe-action: the agents are not valid

2 agents of octocat/hello@1234567. No model was asked and memory was not touched.

| Agent | Model | Tools | Memory | Result |
| --- | --- | --- | --- | --- |
| \`axe/agents/a.toml\` | \`anthropic/claude\\|x\` | \`read_file\`, \`search_files\`, MCP files, sub-agent helper | on, with notes | valid |
| \`axe/agents/broken.toml\` |  |  |  | 1 error, 1 warning |

- **error** \`axe/agents/broken.toml:1\`: It is wrong. Mend it.
- **warning** \`axe/agents/broken.toml\`: It is odd.`);
  });

  it('says so where there is nothing wrong, or nothing but warnings', () => {
    const odd = agent('odd', BROKEN.faults.slice(1), TEXT.replace('enabled = true', ''));
    const summary = validatedSummary(validated(odd));
    expect(summary).toContain('### axe-action: the agents are valid');
    expect(summary).toContain('| off | 1 warning |');
  });

  it('has an end, and cells that cannot leave their row', () => {
    const [fault] = BROKEN.faults;
    if (fault === undefined) throw new Error('a fault is needed');
    const long = agent(
      'long',
      Array.from({ length: 500 }, () => fault),
      TEXT.replace('claude', 'c'.repeat(5000)),
    );
    const summary = validatedSummary(validated(long));
    expect(summary).toContain('And 300 more.');
    const row = summary.split('\n').find((line) => line.startsWith('| `axe/agents/long'));
    expect(row?.length).toBeLessThan(700);
  });
});

it('the log says whose agents were looked at, and what came of each', () => {
  expect(validatedLines(validated(agent('a'), BROKEN))).toEqual([
    'Looked at 2 agents of octocat/hello@1234567:',
    '  axe/agents/a.toml: valid',
    '  axe/agents/broken.toml: 1 error, 1 warning',
  ]);
});
