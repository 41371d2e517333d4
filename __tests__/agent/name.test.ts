import { describe, expect, it } from '@jest/globals';
import { agentNotFound, checkAgentName, skillNotFound } from '../../src/agent/name.js';
import { ConfigError } from '../../src/lib/errors.js';

describe('checkAgentName', () => {
  it.each([
    '../../etc/x',
    'a/b',
    'a\\b',
    '.',
    '..',
    '.hidden',
    '-x',
    '',
    ' ',
    'x'.repeat(300),
    'x'.repeat(65),
    'x\n::error::',
    'x\n',
    'review[1]*',
    'ümlaut',
    'a b',
  ])('C1 7: refuses %j', (name) => {
    expect(() => checkAgentName(name)).toThrow(ConfigError);
    expect(() => checkAgentName(name)).toThrow(/^invalid agent name "[^\n]*"$/);
  });

  it.each([
    ['my agent', 'my-agent'],
    ['grp/sub', 'grp-sub'],
    ['../escape', 'escape'],
    ['é', 'e'],
    ['Prüfer', 'Prufer'],
  ])('names what %j can be renamed to', (name, usable) => {
    expect(remedyOf(name)).toContain(
      ` Rename the file to \`${usable}.toml\`, and its memory, if there is any, to \`${usable}.md\`.`,
    );
    expect(checkAgentName(usable)).toBe(usable);
  });

  it('is reported with the built-in agent that was probably meant', () => {
    expect(remedyOf('buildin/ask')).toMatch(/^Did you mean `builtin\/ask`\? A name starts with /);
  });

  it.each(['漢', '', '..', 'x'.repeat(65)])('names only the rule for %j', (name) => {
    expect(remedyOf(name)).toMatch(/^A name starts with a letter or digit of ASCII [^`]*$/);
  });

  it.each(['memory', 'Memory', 'untrusted', 'projects', 'scratchpad', '2026-11-21', 'bot.state', 'a.State'])(
    'C1 7: refuses the reserved name %j (D5)',
    (name) => {
      expect(() => checkAgentName(name)).toThrow(`agent name "${name}" is reserved`);
    },
  );

  it.each(['a', '1', 'pr-reviewer', 'A.b_c-9', 'x'.repeat(64), 'memory2', 'CON', 'state', 'bot.states'])(
    'C1 7: accepts %j; capitals and Windows device names are allowed by D5',
    (name) => {
      expect(checkAgentName(name)).toBe(name);
    },
  );
});

function remedyOf(name: string): string | undefined {
  try {
    checkAgentName(name);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.remedy;
  }
  return undefined;
}

describe('a missing agent', () => {
  it('is reported with a suggestion, the existing agents and the searched places', () => {
    expect(agentNotFound('bto', { places: ['`a`', '`b`'], known: ['zed', 'bot'] })).toMatchObject({
      message: 'agent config not found: bto',
      remedy:
        'Did you mean `bot`? There are: `bot`, `zed`, `builtin/ask`, `builtin/fix`, `builtin/triage`, `builtin/pr-reviewer`. Searched in `a` and in `b`.',
    });
  });

  it.each([
    ['pr-reviewer', ['reviewer'], 'builtin/pr-reviewer'],
    ['ask', [], 'builtin/ask'],
    ['traige', [], 'builtin/triage'],
    ['reviewr', ['reviewer'], 'reviewer'],
    ['buildin/ask', [], 'builtin/ask'],
  ])('named %j, where there is also %j, was probably meant as `%s`', (name, known, meant) => {
    const { remedy = '' } = agentNotFound(name, { places: [], known });
    expect(remedy).toMatch(new RegExp(`^Did you mean \`${meant}\`\\? `));
  });

  it('is reported with the 20 nearest of many', () => {
    const known = Array.from({ length: 50 }, (_, index) => `agent-${index}`);
    expect(agentNotFound('x', { places: [], known }).remedy).toMatch(
      /^There are: (?:`[^`]+`, ){19}`[^`]+` and 34 more\.$/,
    );
  });
});

describe('a missing skill', () => {
  it('is never suggested as it was written', () => {
    const search = { places: ['`axe/skills/law/SKILL.md`'], known: ['skills/law/SKILL.md'] };
    expect(skillNotFound('skills/law/SKILL.md', search).remedy).toBe(
      'Searched for `axe/skills/law/SKILL.md`.',
    );
    expect(skillNotFound('skills/lwa/SKILL.md', search).remedy).toMatch(
      /^Did you mean `skills\/law\/SKILL.md`\?/,
    );
  });
});
