import { describe, expect, it } from '@jest/globals';
import {
  brokenAnalysis,
  hasRecommendations,
  type OwnFiles,
  readProposal,
  recommendationsDigest,
} from '../../../src/run/gc/analysis.js';

it.each([
  ['Found it.', 'stop', undefined],
  ['', 'stop', 'the analysis is empty, so nothing was trimmed'],
  [' \n', 'stop', 'the analysis is empty, so nothing was trimmed'],
  ['Found', 'length', 'the analysis was cut off, so nothing was trimmed'],
  ['Found it.', 'error', 'the analysis did not finish (error), so nothing was trimmed'],
])('an analysis of %j with the end %s is classified: %s', (text, finish, message) => {
  expect(brokenAnalysis({ text, finish })?.message).toBe(message);
});

const analysis = (recommendations: string, patterns = 'x') =>
  `## Patterns Found\n${patterns}\n\n## Repeated Work\ny\n\n## Recommendations\n${recommendations}`;

describe('the recommendations of an analysis', () => {
  it.each([
    [analysis('No specific recommendations.'), false],
    [analysis('- No specific recommendations\n'), false],
    [analysis('No specific recommendations. But look at the tests.'), true],
    [analysis('Write tests.', 'No specific recommendations.'), true],
    ['Write tests.', true],
  ])('are present or absent: %j', (text, isThere) =>
    expect(hasRecommendations(text)).toBe(isThere),
  );

  it('have one digest for the same words', () => {
    const digest = recommendationsDigest(analysis('Write  tests.'));
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(recommendationsDigest(analysis('write\ntests.\n', 'z'))).toBe(digest);
    expect(recommendationsDigest(analysis('Write more tests.'))).not.toBe(digest);
  });
});

const TOML = 'axe/agents/bot.toml';
const SKILL = 'axe/skills/bot/SKILL.md';
const AGENT =
  'name = "bot"\nmodel = "anthropic/m"\nsystem_prompt = "Be kind."\ntools = ["read_file", "url_fetch"]\nallowed_hosts = ["example.com"]\n[memory]\nenabled = true\nlast_n = 5\n';
const OWN: OwnFiles = {
  toml: TOML,
  texts: new Map([
    [TOML, AGENT],
    [SKILL, 'Look twice.\nLook twice.\nThen answer.\n'],
  ]),
};

function answer(
  ...edits: readonly (readonly [path: string, find: string, replace: string])[]
): string {
  const all = edits.map(([path, find, replace]) => ({ path, find, replace }));
  return JSON.stringify({ title: 'Say\nmore', reason: 'Because.', edits: all });
}

describe('a suggested change of an agent', () => {
  it('changes the skill and the system prompt', () => {
    const json = answer(
      [SKILL, 'Then answer.', 'Then answer briefly.'],
      [TOML, 'Be kind.', 'Be brief.'],
    );
    const read = readProposal(`Here:\n\`\`\`json\n${json}\n\`\`\``, OWN);
    if (read.kind !== 'proposal') throw new Error(read.kind);
    expect(read.title).toBe('Say more');
    expect(read.files.get(SKILL)).toBe('Look twice.\nLook twice.\nThen answer briefly.\n');
    expect(read.files.get(TOML)).toContain('system_prompt = "Be brief."');
  });

  it.each([
    ['no edits', answer()],
    ['an edit that changes nothing', answer([SKILL, 'Then', 'Then'])],
  ])('is empty with %s', (_what, text) => {
    expect(readProposal(text, OWN)).toMatchObject({ kind: 'proposal', files: new Map() });
  });

  it.each([
    ['is not JSON', 'I would say more.', 'cannot be read'],
    ['has another form', '{"edits": 1}', 'does not have the requested form'],
    [
      'is about another file',
      answer(['.github/workflows/x.yml', 'a', 'b']),
      'not a file of the agent',
    ],
    ['finds its place twice', answer([SKILL, 'Look twice.', 'x']), 'exactly once'],
    ['finds its place nowhere', answer([SKILL, 'Look thrice.', 'x']), 'exactly once'],
    ['finds nothing', answer([SKILL, '', 'x']), 'exactly once'],
    ['breaks the TOML', answer([TOML, '"Be kind."', '"Be kind.']), 'no longer be valid'],
    ['takes the model away', answer([TOML, 'model = "anthropic/m"\n', '']), 'no longer be valid'],
    ['changes the model', answer([TOML, 'anthropic/m', 'anthropic/n']), 'more of the agent'],
    [
      'adds a tool',
      answer([TOML, '"read_file"', '"read_file", "run_command"']),
      'more of the agent',
    ],
    ['opens all hosts', answer([TOML, '["example.com"]', '[]']), 'more of the agent'],
    [
      'sets a budget',
      answer([TOML, '[memory]', '[budget]\nmax_tokens = 9\n[memory]']),
      'more of the agent',
    ],
    ['moves memory', answer([TOML, 'last_n = 5', 'path = "x.md"']), 'more of the agent'],
    ['hides words that turn around', answer([SKILL, 'Then', '\u202EThen']), 'readers cannot see'],
    [
      'hides words in tags',
      answer([SKILL, 'Then', 'Then\u{E0041}\u{E0042}']),
      'readers cannot see',
    ],
    ['hides words between no spaces', answer([SKILL, 'Then', 'Th\u200Ben']), 'readers cannot see'],
  ])('is refused if it %s', (_what, text, reason) => {
    const read = readProposal(text, OWN);
    expect(read).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
  });

  it('is refused if a workflow is named as the skill', () => {
    const workflow = '.github/workflows/ci.yml';
    const own = { ...OWN, texts: new Map([...OWN.texts, [workflow, 'on: push\n']]) };
    const reason = expect.stringContaining('not a file of the agent');
    const read = readProposal(answer([workflow, 'push', 'issue_comment']), own);
    expect(read).toMatchObject({ kind: 'refused', reason });
  });

  it.each([
    ['how much is remembered', TOML, 'last_n = 5', 'last_n = 10\nmax_entries = 50'],
    ['any script, line breaks and tabs', SKILL, 'Then', 'می\u200Cخواهم\n\tनमस्ते 👩\u200D💻 ❤️'],
  ])('can be %s', (_, path, find, replace) => {
    expect(readProposal(answer([path, find, replace]), OWN).kind).toBe('proposal');
  });
});
