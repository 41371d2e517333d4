import { describe, expect, it } from '@jest/globals';
import { CONCLUSIONS } from '../../../src/lib/outcome.js';
import { INPUT_DEFAULTS } from '../../../src/runner/inputs/input-groups.js';
import { type Inputs, readInputs } from '../../../src/runner/inputs/inputs.js';

/** Inputs by their names in a workflow, as the runner passes them on: `agent` is given unless said otherwise. */
function read(given: Readonly<Record<string, string>> = {}): Inputs {
  const entries = Object.entries({ agent: 'bot', ...given });
  return readInputs(
    Object.fromEntries(entries.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
  );
}

describe('inputs', () => {
  it('treat an empty input as not given, so that a variable can be unset', () => {
    const empty = Object.fromEntries(Object.keys(INPUT_DEFAULTS).map((name) => [name, ' \n']));
    expect(read({ ...empty, agent: 'bot' })).toEqual(read());
  });

  it.each<[string, string, keyof Inputs, unknown]>([
    ['agent', ' reviewer\n', 'agent', 'reviewer'],
    ['mode', 'run', 'mode', 'run'],
    ['prompt', '  Two\nlines.\n', 'prompt', 'Two\nlines.'],
    ['model', 'openai/gpt-4o', 'model', 'openai/gpt-4o'],
    ['api-key', 'sk-1', 'apiKey', 'sk-1'],
    ['agents-dir', 'bots', 'agentsDir', 'bots'],
    ['github-token', 'ghs_1', 'githubToken', 'ghs_1'],
    ['comment', 'always', 'comment', 'always'],
    ['comment', 'never', 'comment', 'never'],
    ['timeout-minutes', '5', 'timeoutMinutes', 5],
    ['timeout-minutes', '0.5', 'timeoutMinutes', 0.5],
    ['timeout-minutes', '100000', 'timeoutMinutes', 100_000],
    ['model', 'x/y, openai/a, ollama/b:7b', 'fallbackModels', ['openai/a', 'ollama/b:7b']],
    ['model', '\n  openai/a\n  ollama/b\n', 'model', 'openai/a'],
    ['max-turns', '7', 'maxTurns', 7],
    ['max-turns', '0.5', 'maxTurns', 1],
    ['max-tokens', '100000', 'maxTokens', 100_000],
    ['max-tokens', '0', 'maxTokens', 0],
    ['max-cost-usd', '0.25', 'maxCostUsd', 0.25],
    ['max-cost-usd', '0', 'maxCostUsd', 0],
    ['max-cost-usd-per-pr', '2', 'spendLimits', { perPullUsd: 2, perDayUsd: 0 }],
    ['max-cost-usd-per-day', '5.5', 'spendLimits', { perPullUsd: 0, perDayUsd: 5.5 }],
    ['tools-allowed', 'write_file, execute', 'toolsAllowed', ['write_file', 'execute']],
    ['tools-allowed', 'write\nnetwork', 'toolsAllowed', ['write', 'network']],
    ['changes-allowed', 'src/**, README.md', 'changesAllowed', ['src/**', 'README.md']],
    ['changes-allowed', 'true, **/yarn.lock', 'changesAllowed', ['**', '**/yarn.lock']],
    ['changes-allowed', 'false', 'changesAllowed', []],
    ['output-schema', '\n{\n  "type": "object"\n}\n', 'outputSchema', '{\n  "type": "object"\n}'],
    ['dry-run', 'True', 'dryRun', true],
    ['mode', 'validate', 'mode', 'validate'],
    ['fail-on', 'failure', 'failOn', { conclusions: ['failure'], memory: false, findings: [] }],
    [
      'fail-on',
      'failure,timeout',
      'failOn',
      { conclusions: ['failure', 'timeout'], memory: false, findings: [] },
    ],
    [
      'fail-on',
      '\n  failure\n  refused,\n',
      'failOn',
      { conclusions: ['failure', 'refused'], memory: false, findings: [] },
    ],
    [
      'fail-on',
      CONCLUSIONS.join(' , '),
      'failOn',
      { conclusions: [...CONCLUSIONS], memory: false, findings: [] },
    ],
    ['fail-on', '', 'failOn', { conclusions: [], memory: false, findings: [] }],
    ['fail-on', ',', 'failOn', { conclusions: [], memory: false, findings: [] }],
    [
      'fail-on',
      'timeout, failure',
      'failOn',
      { conclusions: ['timeout', 'failure'], memory: false, findings: [] },
    ],
    [
      'fail-on',
      'failure, findings:major, memory',
      'failOn',
      { conclusions: ['failure'], memory: true, findings: ['findings:major'] },
    ],
    [
      'fail-on',
      'not-published\ncoverage',
      'failOn',
      { conclusions: [], memory: false, findings: ['not-published', 'coverage'] },
    ],
  ])('accept `%s: %j`', (name, value, key, expected) => {
    expect(read({ [name]: value })[key]).toEqual(expected);
  });

  it.each<[Readonly<Record<string, string>>, string, string]>([
    [
      { agent: '' },
      'the input `agent` is missing',
      'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    ],
    [
      { agent: '', prompt: 'Why?' },
      'the input `agent` is missing',
      'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    ],
    [
      { agent: ' ', model: 'openai/gpt-4o' },
      'the input `agent` is missing',
      'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    ],
    [{ mode: 'review' }, 'the input `mode` cannot be "review"', 'Choose one of `run`, `gc`, `validate`.'],
    [
      { agent: '', mode: 'gc', prompt: 'Why?', model: 'openai/gpt-4o' },
      'the input `agent` is missing',
      'Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
    ],
    [{ comment: 'yes' }, 'the input `comment` cannot be "yes"', 'Choose one of `auto`, `always`, `never`.'],
    [
      { 'dry-run': 'no' },
      'the input `dry-run` must be true or false, not "no"',
      'Write `dry-run: true` or leave it out.',
    ],
    ...['0', '-1', 'soon', '15m', 'NaN', 'Infinity', '1e999'].map(
      (word): [Readonly<Record<string, string>>, string, string] => [
        { 'timeout-minutes': word },
        `the input \`timeout-minutes\` must be a number above 0, not ${JSON.stringify(word)}`,
        'Write digits alone, with a point for a fraction, or leave it out.',
      ],
    ),
    ...['0', '-3', 'many', 'Infinity'].map((word): [Readonly<Record<string, string>>, string, string] => [
      { 'max-turns': word },
      `the input \`max-turns\` must be a number above 0, not ${JSON.stringify(word)}`,
      'Write digits alone, with a point for a fraction, or leave it out.',
    ]),
    ...['-1', '2,000,000', '1e999', '10k'].map((word): [Readonly<Record<string, string>>, string, string] => [
      { 'max-tokens': word },
      `the input \`max-tokens\` must be a number from 0, which means no limit, not ${JSON.stringify(word)}`,
      'Write digits alone, with a point for a fraction, or leave it out.',
    ]),
    ...['$5', '-0.01', '0,5'].map((word): [Readonly<Record<string, string>>, string, string] => [
      { 'max-cost-usd': word },
      `the input \`max-cost-usd\` must be a number from 0, which means no limit, not ${JSON.stringify(word)}`,
      'Write digits alone, with a point for a fraction, or leave it out.',
    ]),
    [
      { mode: 'gc', 'report-to': 'pr' },
      'the input `report-to` cannot be "pr"',
      'Choose one of `issue`, `pull-request`.',
    ],
    [
      { mode: 'gc', 'memory-store': 'none' },
      '`mode: gc` cannot be used with `memory-store: none`, which keeps nothing',
      "Write the `memory-store` of the agent's runs, or leave it out.",
    ],
    [
      { 'report-to': 'pull-request' },
      '`report-to: pull-request` is for `mode: gc` only',
      'Write `report-to: issue` for the answer of a run.',
    ],
    [
      { 'repositories-token': 't' },
      'the input `repositories-token` is for `agents-repo` and `memory-repo` only',
      'Write `agents-repo: owner/name@ref` or `memory-repo: owner/name` as well.',
    ],
    [
      { 'fail-on': 'failure, warnings' },
      'the input `fail-on` cannot be "warnings"',
      'Choose one of `success`, `failure`, `skipped`, `timeout`, `budget-exceeded`, `max-turns`, `refused`, `incomplete`, `cancelled`, `findings:critical`, `findings:major`, `findings:minor`, `findings:nit`, `coverage`, `not-published`, `memory`.',
    ],
  ])('C1 15: refuse %j', (given, message, remedy) => {
    expect(thrownBy(given)).toMatchObject({ name: 'ConfigError', message, remedy, exitCode: 2 });
  });
});

function thrownBy(given: Readonly<Record<string, string>>): unknown {
  try {
    return read(given);
  } catch (thrown) {
    return thrown;
  }
}
