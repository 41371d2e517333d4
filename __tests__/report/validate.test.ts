import { describe, expect, it } from '@jest/globals';
import { inspectAgent } from '../../src/agent/inspect.js';
import type { CheckedAgent } from '../../src/run/validate/validation.js';
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

| Agent | Model | Tools | Memory | Result |
| --- | --- | --- | --- | --- |
| \`axe/agents/a.toml\` | \`anthropic/claude\\|x\` | \`read_file\`, \`search_files\`, MCP \`files\`, sub-agent \`helper\` | on, with notes | valid |
| \`axe/agents/broken.toml\` |  |  |  | 1 error, 1 warning |

- **error** \`axe/agents/broken.toml:1\`: It is wrong. Fix it.
- **warning** \`axe/agents/broken.toml\`: It is odd.`);
  });

  it('reports that there are no problems, or only warnings', () => {
    const odd = agent('odd', BROKEN.faults.slice(1), TEXT.replace('enabled = true', ''));
    const summary = markdownOf(odd);
    expect(summary).toContain('### axe-action: the agents are valid');
    expect(summary).toContain('| off | 1 warning |');
  });

  it('has a bounded length, and cells that cannot leave their row', () => {
    const [fault] = BROKEN.faults;
    if (fault === undefined) throw new Error('a fault is needed');
    const long = agent(
      'long',
      Array.from({ length: 500 }, () => fault),
      TEXT.replace('claude', 'c'.repeat(5000)),
    );
    const summary = markdownOf(long);
    expect(summary).toContain('And 300 more.');
    const row = summary.split('\n').find((line) => line.startsWith('| `axe/agents/long'));
    expect(row?.length).toBeLessThan(700);
  });
});

describe('text by strangers in an agent', () => {
  const rowOf = (text: string) => {
    const summary = markdownOf(agent('a', [], text));
    return summary.split('\n').find((line) => line.startsWith('| `axe/agents/a.toml`')) ?? '';
  };

  it('is code in the table', () => {
    const row = rowOf(
      TEXT.replace('"helper"', '"[log in](https://example.com)"').replace('"files"', '"<b>`x`</b>"'),
    );
    expect(row).toContain("MCP `<b>'x'</b>`, sub-agent `[log in](https://example.com)` |");
  });

  it('stays code after it is cut', () => {
    const row = rowOf(
      TEXT.replace('claude|x', 'c'.repeat(5000)).replace('"helper"', `"${'h'.repeat(5000)}"`),
    );
    expect(row).toContain(`| \`anthropic/${'c'.repeat(89)}…\` |`);
    expect(row).toContain(`sub-agent \`${'h'.repeat(99)}…\` |`);
  });

  it('is left out of a list one name at a time', () => {
    const tools = Array.from({ length: 100 }, (_, index) => `"tool_${index}"`).join(', ');
    const row = rowOf(TEXT.replace('"read_file", "search_files"', tools));
    expect(row).toMatch(/`tool_18`, `tool_19`, … \|/);
    expect(row).not.toContain('tool_20');
  });

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
