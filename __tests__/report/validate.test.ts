import { describe, expect, it } from '@jest/globals';
import { inspectAgent } from '../../src/agent/inspect.js';
import type { CheckedAgent } from '../../src/run/records.js';
import { formatSummary, summaryOf } from '../helpers/reports.js';

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
  const { config } = inspectAgent(text, { name, file });
  return { name, file, config, faults };
}

function validated(...agents: readonly CheckedAgent[]) {
  return { kind: 'validated', validation: { where: 'octocat/hello@1234567', agents } } as const;
}

const markdownOf = (...agents: readonly CheckedAgent[]) => formatSummary(validated(...agents));

const BROKEN = agent(
  'broken',
  [
    {
      severity: 'error',
      message: 'It is\nwrong.',
      remedy: 'Fix it.',
      at: { file: 'axe/agents/broken.toml', line: 1 },
    },
    { severity: 'warning', message: 'It is odd.', remedy: '', at: { file: 'axe/agents/broken.toml' } },
  ],
  'name = \n',
);

describe('the summary of agent validation', () => {
  it('has a row for each agent and lists the problems', () => {
    expect(markdownOf(agent('a'), BROKEN)).toBe(`### axe-action: the agents are not valid

2 agents of octocat/hello@1234567. No model was asked and memory was not touched.

| Agent | Result |
| --- | --- |
| \`axe/agents/a.toml\` | valid |
| \`axe/agents/broken.toml\` | 1 error, 1 warning |

- **error** \`axe/agents/broken.toml:1\`: It is wrong. Fix it.
- **warning** \`axe/agents/broken.toml\`: It is odd.`);
  });

  it('has cells that cannot leave their row, however long a name is', () => {
    const row = markdownOf(agent(`long|${'c'.repeat(5000)}`))
      .split('\n')
      .find((line) => line.startsWith('| `axe/agents/long'));
    expect(row?.length).toBeLessThan(200);
    expect(row).toContain('long\\|ccc');
  });
});

describe('text by strangers in an agent', () => {
  it.each([
    ['cannot use [x](https://example.com)', 'cannot use \\[x](https://example.com)'],
    ['"<img src=x>" is none', '"\\<img src=x>" is none'],
    ['did you mean `[memory]`?', 'did you mean `[memory]`?'],
    ['`a``[x](y)```', '\\`a\\`\\`\\[x](y)\\`\\`\\`'],
    ['`a\\` [x](y) `', '`a\\` \\[x](y) \\`'],
    ['\\[x](y)', '\\\\\\[x](y)'],
  ])('is not markup in %j', (message, shown) => {
    const fault = { severity: 'warning', message, remedy: '', at: { file: 'a\n# b.toml' } } as const;
    expect(markdownOf(agent('a', [fault]))).toContain(`- **warning** \`a # b.toml\`: ${shown}`);
  });
});

it('the log names a file with control characters in quotes', () => {
  expect(summaryOf(validated(agent('x\n::error::hi'))).log[1]).toBe(
    '  "axe/agents/x\\n::error::hi.toml": valid',
  );
});

it('the log states whose agents were checked, with the result for each', () => {
  expect(summaryOf(validated(agent('a'), BROKEN)).log).toEqual([
    'Looked at 2 agents of octocat/hello@1234567:',
    '  axe/agents/a.toml: valid',
    '  axe/agents/broken.toml: 1 error, 1 warning',
  ]);
});
