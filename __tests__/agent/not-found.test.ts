import { describe, expect, it } from '@jest/globals';
import { agentNotFound, skillNotFound } from '../../src/agent/name.js';

describe('a missing agent', () => {
  it('is reported with a suggestion, the existing agents and the searched places', () => {
    expect(agentNotFound('bto', { places: ['`a`', '`b`'], known: ['zed', 'bot'] })).toMatchObject({
      message: 'agent config not found: bto',
      remedy:
        'Did you mean `bot`? There are: `bot`, `zed`, `builtin/ask`, `builtin/triage`, `builtin/pr-reviewer`. Searched in `a` and in `b`.',
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
      /^There are: (?:`[^`]+`, ){19}`[^`]+` and 33 more\.$/,
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
