import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import type { Trigger } from '../../src/event/trigger.js';
import { readInputs } from '../../src/runner/inputs.js';
import { findUnusedInputs } from '../../src/runner/setup.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const REVIEWER = 'tools = ["submit_review"]';

function messages(
  inputs: Readonly<Record<string, string>>,
  { toml = REVIEWER, trigger }: { readonly toml?: string; readonly trigger?: Trigger } = {},
  isFolderEmpty = false,
) {
  const env = Object.entries({ agent: 'bot', ...inputs }).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ]);
  const text = `name = "bot"\nmodel = "a/b"\n${toml}\n`;
  const { config } = parseAgent(text, { name: 'bot', file: 'bot.toml' });
  const agent = { name: 'bot', config };
  const kinds = trigger === undefined ? undefined : [trigger.kind];
  const facts = { inputs: readInputs(Object.fromEntries(env)), agent, kinds, isFolderEmpty };
  const problems = findUnusedInputs(facts);
  for (const { severity, remedy } of problems)
    expect([severity, remedy]).toEqual(['warning', expect.stringMatching(/^[A-Z].*\.$/)]);
  return problems.map(({ message }) => message);
}

const SERVER = '[[mcp_servers]]\nname = "docs"\nurl = "https://a.test"\ntransport = "sse"\n';

describe('an input without effect is reported', () => {
  it.each([
    ['tools-allowed', 'run_comand', {}, '"run_comand" (did you mean `run_command`?)'],
    ['tools-allowed', 'write, shell', {}, 'There is no tool or effect "shell".'],
    ['tools-allowed', 'urlfetch', { toml: 'sub_agents = ["a"]' }, '`url_fetch`'],
    ['labels-allowed', 'bug', {}, '"bot" lists neither `set_labels` nor `create_issue`'],
    ['block-on', 'major', { toml: 'tools = ["read_file"]' }, '"bot" posts no reviews'],
    ['block-on', 'major', { trigger: SCHEDULE }, 'The event has no pull request'],
    ['check-run', 'true', { trigger: issue() }, 'The event has no commit'],
    ['changes-allowed', 'src/**', { toml: 'tools = ["read_file"]' }, '"bot" changes no files'],
    ['report-to', 'issue', { trigger: pullRequest() }, 'has a pull request or issue of its own'],
  ])('%s: %s', (name, value, scene, reason) => {
    expect(messages({ [name]: value }, scene)).toEqual([expect.stringContaining(reason)]);
    expect(messages({ [name]: value }, scene)[0]).toMatch(`the input \`${name}\` has no effect`);
  });

  it('agents-dir: a folder that is not there', () => {
    expect(messages({ 'agents-dir': 'bots' }, {}, true)).toEqual([
      expect.stringContaining('The folder "bots" is not there'),
    ]);
  });
});

it.each([
  ['tools-allowed', 'run_command(network), run_command(home), execute, url_fetch', {}],
  ['tools-allowed', 'docs', { toml: SERVER }],
  ['tools-allowed', 'server-of-a-sub-agent', { toml: 'sub_agents = ["a"]' }],
  ['labels-allowed', 'bug', { toml: 'tools = ["set_labels"]' }],
  ['labels-allowed', 'bug', { toml: 'tools = ["create_issue"]' }],
  ['block-on', 'major', { trigger: pullRequest() }],
  ['block-on', 'major', { trigger: comment() }],
  ['check-run', 'true', { trigger: pullRequest() }],
  ['check-run', 'true', { trigger: comment() }],
  ['changes-allowed', 'src/**', {}],
  ['changes-allowed', 'src/**', { toml: 'tools = ["edit_file"]' }],
  ['report-to', 'issue', { trigger: SCHEDULE }],
  ['report-to', 'issue', {}],
  ['agents-dir', 'bots', {}],
])('nothing is reported of an input with an effect: %s: %s', (name, value, scene) => {
  expect(messages({ [name]: value }, scene)).toEqual([]);
});
