import { expect, it } from '@jest/globals';
import { formatKilled, outputsOfKilled } from '../../src/report/views/killed.js';

const URL = 'https://github.com/octocat/hello/pull/2#pullrequestreview-7';

it('the summary of a killed run says what it posted, saved, cost and found', () => {
  const killed = {
    run: { agent: 'bot', costUsd: 0.0029, posted: [URL], found: '**Findings**\n\nA fault.' },
    savedTo: 'octocat/hello@axe-memory:bot.md',
    isRemembered: true,
    saveError: '',
    unsaved: '',
  };
  expect(formatKilled(killed)).toBe(
    [
      '### bot: killed',
      'The run was killed before its end.',
      `- Posted: [pullrequestreview-7](${URL})\n- Memory: saved to octocat/hello@axe-memory:bot.md by the post step\n- Cost: $0.0029`,
      'The run found this, and might not have posted it:',
      '**Findings**\n\nA fault.',
    ].join('\n\n'),
  );
  expect(outputsOfKilled(killed)).toEqual({
    conclusion: 'cancelled',
    reason: 'the run was killed before its end',
    'memory-saved': 'true',
    'memory-save-error': undefined,
    'cost-usd': '0.002900',
    'comment-url': URL,
  });
});

it('the summary of a run that was killed before it did anything invents nothing', () => {
  const killed = {
    run: { posted: [], found: '' },
    savedTo: undefined,
    isRemembered: false,
    saveError: 'no cache.',
    unsaved: 'An entry.',
  };
  expect(formatKilled(killed)).toBe(
    [
      '### axe-action: killed',
      'The run was killed before its end.',
      '- Posted: nothing known\n- Memory: not everything was saved: no cache.\n- Cost: not known',
      'An entry.',
    ].join('\n\n'),
  );
  expect(outputsOfKilled(killed)).toMatchObject({
    'memory-saved': 'false',
    'memory-save-error': 'no cache.',
    'cost-usd': undefined,
    'comment-url': undefined,
  });
});
